#!/usr/bin/env python3
"""Questions of the real Claude Code, answered and declined in the real broker: over ACP through the relay, and in a
terminal through the hook. What counts is what the model was told afterwards. The last line is 'N passed, N failed'.
"""
import time

from claude import BIN, Driver, acp, check, main, settled

FILLED = {'question_0': 'SQLite', 'question_0_custom': 'small', 'question_1': ['Auth'], 'question_1_custom': 'Sync, later'}
TOLD = '"Which database?"="SQLite" notes: small, "Which features?"="Auth, "Sync, later""'


def terminal(socket, scenario='question', *more):
    """Claude Code in a terminal, with the hook."""
    hook = f"{BIN}/doorward --socket {socket} hook claude"
    return Driver('claude_hook.py', scenario, '--tui', '--hook', hook, *more)


def decide(harness, option, answers=None, after=0):
    """Waits for the form and decides it; returns what was shown."""
    body = harness.wait('arrived')
    # The terminal shows its own form a moment later; whoever answers sooner is first, too.
    time.sleep(after)
    harness.tell({'decide': {'id': body['id'], 'revision': body['revision'], 'option': option, 'answers': answers}})
    return body['detail']


def told(output):
    """What the model was told after the question."""
    return next(line for line in output.splitlines() if line.startswith('model was told: '))


def shown(detail, source):
    """The card is a form with both questions in it."""
    titles = [field['title'] for field in detail['question']['fields']]
    check(detail['source'] == source and titles == ['Which database?', 'Which features?'], f'shown as {detail["question"]}')


def acp_answer(harness, start):
    """ACP: a person fills the form in Doorward; the editor's form is withdrawn."""
    driver = start(acp(harness.socket, 'question', 'none'))
    shown(decide(harness, 'answer', FILLED), 'acp')
    output = driver.finish()
    settled(harness, 'answered', outcome={'selected': 'answer'}, by='person')
    check(TOLD in told(output) and 'withdrawn: 1' in output, output)


def acp_decline(harness, start):
    """ACP: a person declines; the turn goes on."""
    driver = start(acp(harness.socket, 'question', 'none'))
    decide(harness, 'decline')
    output = driver.finish()
    check('did not answer' in told(output) and 'stop reason: end_turn' in output, output)


def acp_editor_first(harness, start):
    """ACP: the editor's form is filled first; Doorward's is withdrawn."""
    driver = start(acp(harness.socket, 'question', 'first', '--delay', '2'))
    harness.wait('arrived')
    output = driver.finish()
    settled(harness, 'withdrawn', outcome=None, why='elsewhere')
    check('"Which database?"=' in told(output) and 'withdrawn: 0' in output, output)


def hook_answer(harness, start):
    """Hook: a person fills the form in Doorward while the terminal shows its own."""
    driver = start(terminal(harness.socket))
    shown(decide(harness, 'answer', FILLED, after=2), 'claude-hook')
    output = driver.finish()
    settled(harness, 'answered', outcome={'selected': 'answer'}, by='person')
    check(TOLD in told(output) and 'prompt in the terminal: shown' in output, output)


def hook_preview(harness, start):
    """Hook: the model is told the preview of what was chosen, as it is by the terminal's own form."""
    driver = start(terminal(harness.socket, 'question_one'))
    decide(harness, 'answer', {'question_0': 'Postgres'}, after=2)
    answer = told(driver.finish())
    check('"Which database?"="Postgres" selected preview:' in answer and 'CREATE TABLE t();' in answer, answer)


def hook_decline(harness, start):
    """Hook: a person declines; the model is told so."""
    driver = start(terminal(harness.socket))
    decide(harness, 'decline', after=2)
    check('The user declined to answer.' in told(driver.finish()), 'the model was told something else')


def hook_terminal_first(harness, start):
    """Hook: the form in the terminal is closed; Doorward's is withdrawn."""
    driver = start(terminal(harness.socket, 'question_one', '--keys', 'Escape'))
    harness.wait('arrived')
    settled(harness, 'withdrawn', outcome=None)
    driver.finish()


if __name__ == '__main__':
    main([acp_answer, acp_decline, acp_editor_first, hook_answer, hook_preview, hook_decline, hook_terminal_first])
