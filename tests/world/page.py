"""A page without a window: speaks the surface protocol on its standard input, opens every fold, types why, and decides.

Rejects with words where there is a way to, else takes the first option; what it decided it writes to the file PAGE_TOLD.
"""
import json
import os
import socket
import threading
import time

sock = socket.socket(fileno=os.dup(0))
lock, told = threading.Lock(), os.environ['PAGE_TOLD']


def say(**line):
    """Writes a line."""
    with lock:
        sock.sendall((json.dumps(line) + '\n').encode())


def tell(word):
    """Notes what happened, for the test."""
    with open(told, 'a') as file:
        file.write(word + '\n')


def decide(body):
    """Looks at a request as a person does, and answers it."""
    detail, request = body['detail'], {'id': body['id'], 'revision': body['revision']}
    if detail is None or detail['ended']:
        return
    say(shown=request)
    for fold in detail.get('folds', []):
        say(opened={**request, 'fold': fold['key']})
    say(shown=request)
    say(draft={'id': body['id'], 'feedback': os.environ['PAGE_WORDS']})
    time.sleep(detail['protectMs'] / 1000 + 0.2)
    no = [o['id'] for o in detail['options'] if o['kind'] == 'reject_once']
    choice = {'option': no[0], 'feedback': os.environ['PAGE_WORDS']} if no and detail['affordances']['feedback'] else {'option': detail['options'][0]['id']}
    say(decide={**request, **choice})


# Lines that the tray does not know must not reach a log either.
say(**{os.environ['PAGE_WORDS']: {}})
say(decide={'id': os.environ['PAGE_WORDS']})
say(draft={'id': 1, 'feedback': {os.environ['PAGE_WORDS']: 1}})
say(snapshot={})
seen = set()
for line in sock.makefile():
    line = json.loads(line)
    kind, body = next(iter(line.items()))
    if kind == 'snapshot':
        for row in body['rows']:
            say(detail={'id': row['id']})
    elif kind in ('arrived', 'changed'):
        say(detail={'id': body['id']})
    elif kind == 'detail' and (body['id'], body['revision']) not in seen:
        seen.add((body['id'], body['revision']))
        threading.Thread(target=decide, args=(body,), daemon=True).start()
    elif kind == 'settled':
        tell(f"settled {body['id']} {body['outcome']}")
    elif kind == 'refused' and body['why'] in ('too_soon', 'stale'):
        seen = {known for known in seen if known[0] != body['id']}
        say(detail={'id': body['id']})
    elif kind == 'refused':
        tell(f"refused {body['id']} {body['why']}")
