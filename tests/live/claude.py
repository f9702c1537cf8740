#!/usr/bin/env python3
"""Real Claude Code against the real broker: over ACP through the relay, and in headless mode through the hook.

The agents are real and pinned, the model is scripted and local. What counts is what happened on disk and what
the broker said, never what a log claims. Every wait has an end. The last line is 'N passed, N failed'.
"""
import json
import os
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
        self.process = subprocess.Popen([os.path.join(BIN, 'doorward-harness'), '--dir', self.folder],
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

    def decide(self, option):
        """Waits for a request and chooses one of its options; returns its detail."""
        body = self.wait('arrived')
        offered = [o['id'] for o in body['detail']['options']]
        check(option in offered, f'{option} is not among {offered}')
        # A joined update may raise the revision meanwhile: decide on the newest, as a person does.
        for _ in range(5):
            time.sleep(0.3)
            revision = max([body['revision']] + [l['changed']['revision'] for l in self.lines if 'changed' in l and l['changed']['id'] == body['id']])
            self.tell({'decide': {'id': body['id'], 'revision': revision, 'option': option}})
            time.sleep(0.3)
            if not any('refused' in l and l['refused']['why'] == 'stale' for l in self.lines[-2:]):
                break
        return body['detail']

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

    def __init__(self, script, *words):
        env = {**os.environ, 'PYTHONUNBUFFERED': '1', 'PYTHONDONTWRITEBYTECODE': '1'}
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


def on_disk(output):
    """What the run changed."""
    return next(line[9:] for line in output.splitlines() if line.startswith('on disk: '))


def settled(harness, end, **more):
    """The request is settled in a certain way, once."""
    body = harness.wait('settled')
    check(body['end'] == end and all(body.get(k) == v for k, v in more.items()), f'settled as {body}')
    check(sum('settled' in line for line in harness.lines) == 1, 'settled more than once')


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
    check([f['status'] for f in detail['files']] == ['snippet'], f'files: {detail["files"]}')
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
    harness.process.kill()
    harness.process.wait()
    output = driver.finish()
    check(on_disk(output) == '+ work/made/', output)


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


def silent(output):
    """The hook printed nothing and ended with 0: Claude Code decides as it would without it."""
    said = [line for line in output.splitlines() if line.startswith('hook stdout')]
    left = [line for line in output.splitlines() if line.startswith('hook exit')]
    check(not [line for line in said if line.split(' s  ', 1)[-1].strip(' "')], f'the hook said {said}')
    check(len(left) == 1 and left[0].endswith(' 0'), f'the hook ended with {left}')
    check(on_disk(output) == 'nothing changed', output)


CASES = [acp_allow, acp_reject, acp_editor_first, acp_absent, acp_dies, acp_hand_back, hook_allow, hook_deny, hook_hand_back, hook_absent]


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


def main():
    """All cases, or those whose names are given."""
    wanted = [case for case in CASES if not sys.argv[1:] or case.__name__ in sys.argv[1:]]
    passed = sum([run(case) for case in wanted])
    failed = len(wanted) - passed
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed or not wanted else 0)


if __name__ == '__main__':
    main()
