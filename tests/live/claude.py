#!/usr/bin/env python3
"""Real Claude Code against the real broker: over ACP through the relay, and in headless mode through the hook.

The agents are real and pinned, the model is scripted and local. What counts is what happened on disk and what
the broker said, never what a log claims. Every wait has an end. The last line is 'N passed, N failed'.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAB = os.path.join(ROOT, 'tests', 'lab')
BIN = os.path.join(os.environ.get('CARGO_TARGET_DIR', os.path.join(ROOT, 'target')), 'debug')
WAIT, TURN = 60, 120


class Failure(Exception):
    """A check that did not hold."""


def check(holds, words):
    """Ends the case when something does not hold."""
    if not holds:
        raise Failure(words)


class Harness:
    """The broker with a person played over its stdin."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix='dw-live-')
        self.lines, self.news = [], threading.Condition()
        # Where the command looks for it by itself, so that hooks need no option.
        self.runtime = os.path.join(self.folder, 'run')
        os.mkdir(self.runtime, 0o700)
        self.process = subprocess.Popen([os.path.join(BIN, 'doorward-harness'), '--dir', os.path.join(self.runtime, 'doorward')],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        threading.Thread(target=self.read, daemon=True).start()
        self.socket = self.wait('ready')['socket']

    def read(self):
        """Collects what the broker says."""
        for line in self.process.stdout:
            with self.news:
                self.lines.append(json.loads(line))
                self.news.notify_all()

    def wait(self, kind, holds=lambda body: True, timeout=WAIT):
        """The first line of a kind for which something holds."""
        deadline = time.time() + timeout
        with self.news:
            while True:
                for line in self.lines:
                    if kind in line and holds(line[kind]):
                        return line[kind]
                if not self.news.wait(max(0, deadline - time.time())) and time.time() >= deadline:
                    raise Failure(f'no "{kind}" within {timeout} s; the broker said: {brief(self.lines)}')

    def decide(self, option, number=1, amendment=None):
        """Waits for a request and chooses one of its options; returns its detail."""
        body = self.wait('arrived', lambda body: body['id'] == number)
        offered = [o['id'] for o in body['detail']['options']]
        check(option in offered, f'{option} is not among {offered}')
        # A joined update may raise the revision meanwhile: decide on the newest, as a person does.
        for _ in range(5):
            time.sleep(0.3)
            revision = max([body['revision']] + [l['changed']['revision'] for l in self.lines if 'changed' in l and l['changed']['id'] == body['id']])
            decide = {'id': body['id'], 'revision': revision, 'option': option}
            self.tell({'decide': decide if amendment is None else {**decide, 'amendment': amendment}})
            time.sleep(0.3)
            if not any('refused' in l and l['refused']['why'] == 'stale' for l in self.lines[-2:]):
                break
        return body['detail']

    def ended(self, holds, number=1):
        """Waits until a settled card says something of how it ended, and returns that."""
        return self.wait('changed', lambda body: body['id'] == number and body['detail']['ended'] and holds(body['detail']['ended']))['detail']['ended']

    def arrived(self):
        """How many requests came."""
        return sum('arrived' in line for line in self.lines)

    def kill(self):
        """Ends the broker as a crash does."""
        self.process.kill()
        self.process.wait()

    def tell(self, line):
        """Writes a line."""
        self.process.stdin.write(json.dumps(line) + '\n')
        self.process.stdin.flush()

    def end(self):
        """Ends the broker and removes its folder."""
        if self.process.poll() is None:
            try:
                self.tell({'quit': True})
                self.process.wait(5)
            except (OSError, subprocess.TimeoutExpired):
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def brief(lines):
    """Lines without their long details."""
    return json.dumps([{k: {n: v for n, v in b.items() if n != 'detail'} for k, b in line.items()} for line in lines])


class Driver:
    """One run of a real agent."""

    def __init__(self, script, *words, **more):
        env = {**os.environ, 'PYTHONUNBUFFERED': '1', 'PYTHONDONTWRITEBYTECODE': '1', **more}
        self.process = subprocess.Popen([sys.executable, os.path.join(LAB, script), *words, '--timeout', '60'], env=env, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def finish(self):
        """What it printed, when it has ended; it ends its own agents when it is told to stop."""
        try:
            output = self.process.communicate(timeout=TURN)[0]
        except subprocess.TimeoutExpired:
            self.stop()
            raise Failure(f'the agent did not end within {TURN} s') from None
        check(self.process.returncode == 0, f'the driver ended with {self.process.returncode}:\n{output}')
        return output

    def stop(self):
        """Ends it early."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.communicate(timeout=15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def acp(socket, scenario, answer, *more):
    """Claude Code in an editor that speaks ACP, the relay between them."""
    relay = f"{os.path.join(BIN, 'doorward')} --socket {socket} acp --"
    return Driver('ask.py', 'claude-acp', scenario, '--wrap', relay, '--answer', answer, *more)


def hook(socket, scenario):
    """claude -p with the hook."""
    return Driver('claude_hook.py', scenario, '--hook', f"{os.path.join(BIN, 'doorward')} --socket {socket} hook claude")


def readme_hooks(folder):
    """The hooks that README tells people to use, as a settings file, word for word."""
    with open(os.path.join(ROOT, 'README.md')) as file:
        blocks = re.findall(r'```json\n(.*?)```', file.read(), re.S)
    block = next(block for block in blocks if '"PermissionRequest"' in block)
    path = os.path.join(folder, 'settings.json')
    with open(path, 'w') as file:
        file.write(block)
    return path


def readme(harness, scenario, *more):
    """Claude Code as README says, with its command in the PATH."""
    env = {'XDG_RUNTIME_DIR': harness.runtime, 'PATH': BIN + os.pathsep + os.environ['PATH']}
    return Driver('claude_hook.py', scenario, '--hooks', readme_hooks(harness.folder), *more, **env)


def on_disk(output):
    """What the run changed."""
    return next(line[9:] for line in output.splitlines() if line.startswith('on disk: '))


def settled(harness, end, number=1, **more):
    """The request is settled in a certain way, once."""
    body = harness.wait('settled', lambda body: body['id'] == number)
    check(body['end'] == end and all(body.get(k) == v for k, v in more.items()), f'settled as {body}')
    check(sum('settled' in line and line['settled']['id'] == number for line in harness.lines) == 1, 'settled more than once')


def acp_allow(harness, start):
    """ACP: a person allows a command in Doorward; it runs, and the editor is told."""
    driver = start(acp(harness.socket, 'command', 'none'))
    detail = harness.decide('allow-once')
    check(detail['source'] == 'acp' and detail['toolCall']['kind'] == 'execute', f'shown as {detail["toolCall"]}')
    output = driver.finish()
    settled(harness, 'answered', outcome={'selected': 'allow-once'}, by='person')
    check(on_disk(output) == '+ work/made/', output)
    check('withdrawn: 1' in output, f'the editor was not told:\n{output}')


def acp_reject(harness, start):
    """ACP: a person rejects an edit in Doorward; the file stays as it was."""
    driver = start(acp(harness.socket, 'edit', 'none'))
    detail = harness.decide('reject')
    rows = [row['op'] + row['text'] for file in detail['files'] for hunk in file['hunks'] for row in hunk['rows']]
    check(rows == [' line1', '-line2', '+LINE 2', ' line3'], f'the edit is shown in its place in the file: {rows}')
    output = driver.finish()
    settled(harness, 'answered', outcome={'selected': 'reject'}, by='person')
    check(on_disk(output) == 'nothing changed', output)


def acp_editor_first(harness, start):
    """ACP: the editor answers first; Doorward's card is withdrawn, the command runs."""
    driver = start(acp(harness.socket, 'command', 'kind:allow_once', '--delay', '2'))
    harness.wait('arrived')
    output = driver.finish()
    settled(harness, 'withdrawn', outcome=None, why='elsewhere')
    check(on_disk(output) == '+ work/made/' and 'withdrawn: 0' in output, output)


def acp_absent(harness, start):
    """ACP: Doorward is not running; the editor answers and everything works."""
    nowhere = os.path.join(harness.folder, 'nobody.sock')
    output = start(acp(nowhere, 'command', 'kind:allow_once')).finish()
    check(on_disk(output) == '+ work/made/', output)
    check(not any('arrived' in line for line in harness.lines), 'a request arrived all the same')


def acp_dies(harness, start):
    """ACP: Doorward dies while a request waits; the editor answers and everything works."""
    driver = start(acp(harness.socket, 'command', 'kind:allow_once', '--delay', '3'))
    harness.wait('arrived')
    harness.kill()
    output = driver.finish()
    check(on_disk(output) == '+ work/made/', output)


def frames(path, holds):
    """The frames of a capture for which something holds, with their direction."""
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    return [(line['dir'], line['frame']) for line in lines if isinstance(line['frame'], dict) and holds(line['frame'])]


def acp_always(harness, start):
    """ACP: a person allows for good in Doorward; the second command of that kind is not asked, neither here nor there."""
    capture = os.path.join(harness.folder, 'frames.jsonl')
    driver = start(acp(harness.socket, 'command_twice', 'none', '--capture', capture))
    harness.decide('allow-with-updates')
    output = driver.finish()
    settled(harness, 'answered', outcome={'selected': 'allow-with-updates'}, by='person')
    check(harness.arrived() == 1, f'{harness.arrived()} requests arrived')
    asked = frames(capture, lambda frame: frame.get('method') == 'session/request_permission')
    ran = frames(capture, lambda frame: (frame.get('params') or {}).get('update', {}).get('status') == 'completed')
    calls = {frame['params']['update']['toolCallId'] for _, frame in ran}
    check(len(asked) == 1 and len(calls) == 2, f'{len(asked)} asked, {len(calls)} ran')
    check('.claude/settings.local.json' in on_disk(output), output)


def acp_cancel(harness, start):
    """ACP: the editor stops the turn while a request is pending; the card goes, nothing runs, and no allow can follow."""
    capture = os.path.join(harness.folder, 'frames.jsonl')
    driver = start(acp(harness.socket, 'command', 'session-cancel', '--delay', '2', '--capture', capture))
    body = harness.wait('arrived')
    output = driver.finish()
    settled(harness, 'withdrawn', outcome=None, why='cancelled')
    harness.tell({'decide': {'id': body['id'], 'revision': body['revision'], 'option': 'allow-once'}})
    harness.wait('refused', lambda refused: refused['why'] == 'not_pending')
    stopped = frames(capture, lambda frame: frame.get('result', {}).get('stopReason') == 'cancelled')
    check(len(stopped) == 1, f'the turn did not end as cancelled: {stopped}')
    check(on_disk(output) == 'nothing changed', output)


def acp_hand_back(harness, start):
    """ACP: a person says "ask me there"; the editor answers."""
    driver = start(acp(harness.socket, 'command', 'kind:allow_once', '--delay', '3'))
    harness.tell({'abstain': {'id': harness.wait('arrived')['id']}})
    settled(harness, 'answered', outcome='abstained', why='person')
    output = driver.finish()
    check(on_disk(output) == '+ work/made/' and 'withdrawn: 0' in output, output)


def hook_allow(harness, start):
    """Hook: a person allows an edit in Doorward; the file is changed."""
    driver = start(hook(harness.socket, 'edit'))
    detail = harness.decide('allow')
    check(detail['source'] == 'claude-hook' and detail['toolCall']['kind'] == 'edit', f'shown as {detail["toolCall"]}')
    output = driver.finish()
    settled(harness, 'answered', outcome={'selected': 'allow'}, by='person')
    check(on_disk(output) == '~ work/a.txt', output)


def hook_deny(harness, start):
    """Hook: a person rejects a command in Doorward; it does not run."""
    driver = start(hook(harness.socket, 'command'))
    harness.decide('deny')
    output = driver.finish()
    settled(harness, 'answered', outcome={'selected': 'deny'}, by='person')
    check(on_disk(output) == 'nothing changed', output)


def hook_hand_back(harness, start):
    """Hook: a person says "ask me there"; the hook is silent."""
    driver = start(hook(harness.socket, 'command'))
    harness.tell({'abstain': {'id': harness.wait('arrived')['id']}})
    settled(harness, 'answered', outcome='abstained', why='person')
    silent(driver.finish())


def hook_absent(harness, start):
    """Hook: Doorward is not running; the hook is silent."""
    silent(start(hook(os.path.join(harness.folder, 'nobody.sock'), 'command')).finish())


def hook_always(harness, start):
    """Hook: a person allows and keeps; the second command of that kind is not asked, and the rule is in a file."""
    driver = start(readme(harness, 'command_twice'))
    harness.decide('allow:suggestion:0')
    output = driver.finish()
    settled(harness, 'answered', outcome={'selected': 'allow:suggestion:0'}, by='person')
    check(harness.arrived() == 1, f'{harness.arrived()} requests arrived')
    check('.claude/settings.local.json' in on_disk(output), output)


def hook_applied(harness, start):
    """Hook: after an allow, README's other hooks say that the file was changed."""
    driver = start(readme(harness, 'edit'))
    harness.decide('allow')
    output = driver.finish()
    check(harness.ended(lambda ended: ended['applied'] is not None)['applied'] is True, 'not said to be applied')
    check(on_disk(output) == '~ work/a.txt', output)


def hook_not_applied(harness, start):
    """Hook: what is to be replaced has gone when the allow comes; the tool refuses, and the card says so."""
    driver = start(readme(harness, 'edit'))
    path = harness.wait('arrived')['detail']['files'][0]['path']
    with open(path, 'w') as file:
        file.write('somebody else was here\n')
    harness.decide('allow')
    output = driver.finish()
    check(harness.ended(lambda ended: ended['applied'] is not None)['applied'] is False, 'said to be applied')
    check(on_disk(output) == '~ work/a.txt' and 'LINE 2' not in output.split('-- result')[1], output)


def hook_stopped(harness, start):
    """Hook: Claude Code is ended while a request is pending; the card goes."""
    driver = start(readme(harness, 'command'))
    harness.wait('arrived')
    driver.stop()
    body = harness.wait('settled')
    check(body['end'] == 'withdrawn' and body['outcome'] is None, f'settled as {body}')


def hook_dies(harness, start):
    """Hook: Doorward dies while a request is pending; the hook is silent, and headless Claude Code runs nothing."""
    driver = start(hook(harness.socket, 'command'))
    harness.wait('arrived')
    harness.kill()
    silent(driver.finish())


def silent(output):
    """The hook printed nothing and ended with 0: Claude Code decides as it would without it."""
    said = [line for line in output.splitlines() if line.startswith('hook stdout')]
    left = [line for line in output.splitlines() if line.startswith('hook exit')]
    check(not [line for line in said if line.split(' s  ', 1)[-1].strip(' "')], f'the hook said {said}')
    check(len(left) == 1 and left[0].endswith(' 0'), f'the hook ended with {left}')
    check(on_disk(output) == 'nothing changed', output)


CASES = [acp_allow, acp_always, acp_reject, acp_cancel, acp_editor_first, acp_absent, acp_dies, acp_hand_back,
         hook_allow, hook_always, hook_deny, hook_hand_back, hook_absent, hook_dies, hook_stopped, hook_applied, hook_not_applied]


def run(case):
    """Runs one case with a broker of its own; true when it passed."""
    harness, drivers = None, []

    def start(driver):
        drivers.append(driver)
        return driver

    began = time.time()
    try:
        harness = Harness()
        case(harness, start)
    except (Failure, OSError, KeyError, StopIteration) as error:
        print(f'FAILED {case.__name__}: {type(error).__name__}: {error}', flush=True)
        return False
    finally:
        for driver in drivers:
            driver.stop()
        if harness:
            harness.end()
    print(f'ok     {case.__name__} ({time.time() - began:.1f} s)', flush=True)
    return True


def main(cases):
    """All cases, or those whose names are given."""
    wanted = [case for case in cases if not sys.argv[1:] or case.__name__ in sys.argv[1:]]
    passed = sum([run(case) for case in wanted])
    failed = len(wanted) - passed
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed or not wanted else 0)


if __name__ == '__main__':
    main(CASES)
