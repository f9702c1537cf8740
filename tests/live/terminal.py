#!/usr/bin/env python3
"""Real Claude Code in a real terminal, with the hooks of README: the terminal's dialog and Doorward, and who is first.

The terminal is tmux; keys are pressed as a person presses them, when the request has arrived in Doorward.
"""
import os

from claude import check, main, on_disk, readme, settled


def at(harness):
    """A file that does not exist yet, and the key that waits for it."""
    path = os.path.join(harness.folder, 'now')
    return path, 'await:' + path


def touch(path):
    """Lets the terminal press its next key."""
    with open(path, 'w'):
        pass


def dialog(output, *said, turn='over'):
    """The dialog was shown, and is gone as the turn is over. Doorward may be faster than anybody looks: then it is 'not seen'."""
    lines = output.splitlines()
    check(any(f'prompt in the terminal: {one}' in lines for one in said) and f'turn: {turn}' in lines, output)


def terminal_yes(harness, start):
    """The terminal says yes first: the command runs, and the card goes when it has run."""
    now, wait = at(harness)
    driver = start(readme(harness, 'command', '--tui', '--keys', wait, 'choose:Yes'))
    harness.wait('arrived')
    touch(now)
    output = driver.finish()
    settled(harness, 'withdrawn', outcome=None, why='retired')
    dialog(output, 'shown and gone')
    check(on_disk(output) == '+ work/made/', output)


def terminal_no(harness, start):
    """The terminal says no first: nothing runs, and the card goes at once."""
    now, wait = at(harness)
    driver = start(readme(harness, 'command', '--tui', '--keys', wait, 'choose:No'))
    harness.wait('arrived')
    touch(now)
    output = driver.finish()
    body = harness.wait('settled')
    check(body['end'] == 'withdrawn' and body['outcome'] is None, f'settled as {body}')
    dialog(output, 'shown and gone')
    check(on_disk(output) == 'nothing changed', output)


def terminal_escape(harness, start):
    """Escape while the request is pending: the card goes, and no allow can follow."""
    now, wait = at(harness)
    driver = start(readme(harness, 'command', '--tui', '--keys', wait, 'Escape'))
    body = harness.wait('arrived')
    touch(now)
    output = driver.finish()
    settled(harness, 'withdrawn', outcome=None, why='cancelled')
    harness.tell({'decide': {'id': body['id'], 'revision': body['revision'], 'option': 'allow'}})
    harness.wait('refused', lambda refused: refused['why'] == 'not_pending')
    dialog(output, 'shown and gone')
    check(on_disk(output) == 'nothing changed', output)


def doorward_allow(harness, start):
    """Doorward allows first: the terminal's dialog closes by itself, the command runs, and the card says so."""
    driver = start(readme(harness, 'command', '--tui'))
    detail = harness.decide('allow')
    check(detail['source'] == 'claude-hook', f'by {detail["source"]}')
    output = driver.finish()
    settled(harness, 'answered', outcome={'selected': 'allow'}, by='person')
    check(harness.ended(lambda ended: ended['applied'] is not None)['applied'] is True, 'not said to be applied')
    dialog(output, 'shown and gone', 'not seen')
    check(on_disk(output) == '+ work/made/', output)


def doorward_deny(harness, start):
    """Doorward rejects first: the dialog closes by itself, and nothing runs."""
    driver = start(readme(harness, 'command', '--tui'))
    harness.decide('deny')
    output = driver.finish()
    settled(harness, 'answered', outcome={'selected': 'deny'}, by='person')
    dialog(output, 'shown and gone', 'not seen')
    check(on_disk(output) == 'nothing changed', output)


def doorward_always(harness, start):
    """Doorward allows and keeps: the second command of that kind asks neither in the terminal nor here."""
    driver = start(readme(harness, 'command_twice', '--tui'))
    harness.decide('allow:suggestion:0')
    output = driver.finish()
    settled(harness, 'answered', outcome={'selected': 'allow:suggestion:0'}, by='person')
    check(harness.arrived() == 1, f'{harness.arrived()} requests arrived')
    dialog(output, 'shown and gone', 'not seen')
    check('.claude/settings.local.json' in on_disk(output), output)


def hand_back(harness, start):
    """"Ask me there": the terminal's dialog stays and decides."""
    now, wait = at(harness)
    driver = start(readme(harness, 'command', '--tui', '--keys', wait, 'choose:Yes'))
    harness.tell({'abstain': {'id': harness.wait('arrived')['id']}})
    settled(harness, 'answered', outcome='abstained', why='person')
    touch(now)
    output = driver.finish()
    dialog(output, 'shown and gone')
    check(on_disk(output) == '+ work/made/', output)


def dies(harness, start):
    """Doorward dies while the request is pending: the terminal's dialog stays and decides."""
    now, wait = at(harness)
    driver = start(readme(harness, 'command', '--tui', '--keys', wait, 'choose:Yes'))
    harness.wait('arrived')
    harness.kill()
    touch(now)
    output = driver.finish()
    dialog(output, 'shown and gone')
    check(on_disk(output) == '+ work/made/', output)


def absent(harness, start):
    """Doorward is not running: the terminal's dialog decides as ever."""
    harness.kill()
    output = start(readme(harness, 'command', '--tui', '--keys', 'choose:Yes')).finish()
    dialog(output, 'shown and gone')
    check(on_disk(output) == '+ work/made/', output)


if __name__ == '__main__':
    main([terminal_yes, terminal_no, terminal_escape, doorward_allow, doorward_deny, doorward_always, hand_back, dies, absent])
