#!/usr/bin/env python3
"""Real Claude Code, README's hooks, and a person who changes what it proposes: on disk stands exactly the person's text."""
from claude import check, main, readme

# The file, what the person makes of it, and the mark that the file keeps before it.
WANTED = {
    'lf.txt': 'X  \nY\t\nc\n',
    'crlf.txt': 'p\r\nq  \r\nr\r\n',
    'bom.txt': 'marked  \nq\n',
    'noeol.txt': 'still no eol',
    'mixed.txt': 'mixed\r\nlf\n',
    'emptied.txt': '',
    'signs.txt': 'a $& $1 $` $$ \\1 b\n',
    'over.txt': 'w  \r\nx\n',
    'big.txt': 'a line of the person  \n' * 200_000,
}
MARK = {'bom.txt': b'\xef\xbb\xbf'}


def amend(harness, start):
    """Every kind of file: amended, applied, byte for byte, and the agent is told."""
    driver = start(readme(harness, 'amend'))
    for number, (name, wanted) in enumerate(WANTED.items(), 1):
        detail = harness.decide('allow', number, wanted)
        path = detail['toolCall']['locations'][0]['path']
        check(path.endswith('/' + name), f'{path} instead of {name}')
        ended = harness.ended(lambda ended: ended['applied'] is not None, number)
        check(ended['applied'] is True and ended['amended'] is True, f'{name}: {ended}')
        with open(path, 'rb') as file:
            check(file.read() == MARK.get(name, b'') + wanted.encode(), f'{name} is not what the person wrote')
    output = driver.finish()
    check(harness.arrived() == len(WANTED), f'{harness.arrived()} requests')
    check(output.count('The user changed the content you proposed') >= len(WANTED), 'the model was not told')


def refused(harness, start):
    """A text that the tool would write otherwise is not sent; the request waits on."""
    driver = start(readme(harness, 'amend'))
    harness.decide('allow', 1)
    body = harness.wait('arrived', lambda body: body['id'] == 2)
    harness.tell({'decide': {'id': 2, 'revision': body['revision'], 'option': 'allow', 'amendment': 'lf\ncrlf\r\n'}})
    check(harness.wait('refused', lambda body: body['id'] == 2)['why'] == 'not_amendable', 'sent all the same')
    path = body['detail']['toolCall']['locations'][0]['path']
    with open(path, 'rb') as file:
        check(file.read() == b'a\r\nb\r\nc\r\n', 'the file has changed')
    driver.stop()


if __name__ == '__main__':
    main([amend, refused])
