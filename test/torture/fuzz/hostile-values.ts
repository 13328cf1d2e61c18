// Values that have broken services, to be put where a request has a good one.

/** JSON texts of numbers, among them such as no double holds. */
export const hostileNumbers = [
  ...['0', '-0', '-1', '1e309', '-1e309', '1e-7', '1e2', '100.000', '100.001', '0.30000000000000004', '1e-400'],
  ...['9007199254740993', '-9007199254740993', '18446744073709551616', '2147483648', '-2147483649', '1e20', '1e21'],
  ...['9223372036854775807', '9223372036854775808', '9'.repeat(40), `0.${'0'.repeat(40)}1`, '0.1e1', '99.99'],
  ...['300000.01', '8640000000000000', '8640000000000001', '-62135596800001', '253402300800000'],
]

const times = [
  ...['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999-12:00', '0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00'],
  ...[
    '2026-02-30T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T23:59:60Z',
    '2016-12-31T23:59:60Z',
    '1969-12-31T00:00:00Z',
  ],
  ...[
    '2026-01-31T12:30:00+23:59',
    '2026-01-31T12:30:00',
    '2026-01-31',
    '+275760-09-13T00:00:00Z',
    '2026-01-31t12:30:00z',
  ],
  ...['4714-11-24T00:00:00Z BC', 'infinity', '-infinity', 'now', 'epoch', '2026-W05-6', '2026-13-01', '0000-00-00'],
]

const words = [
  ...[
    '',
    ' ',
    '\t',
    '\n',
    '\r\nX-Injected: 1',
    '\0',
    'a\0b',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\u0085',
    '\u2028',
    '\ue000',
  ],
  ...['null', 'NULL', 'undefined', 'NaN', 'true', 'false', '[]', '{}', '[object Object]', '__proto__', 'constructor'],
  ...[
    "'",
    '"',
    '\\',
    '`',
    "'; drop table payments; --",
    "' or '1'='1",
    '${7*7}',
    '{{7*7}}',
    '%s%n',
    '$1',
    ':rows',
    '?',
  ],
  ...['<script>alert(1)</script>', '"><img src=x onerror=x>', '&lt;', '=1+1', '@sum(1)', '+1', '-1', '\t=1'],
  ...['../../etc/passwd', '..%2f..', '%00', '%', '%zz', '%ff', '//', '/', 'a/b', '.', '..', 'file:///etc/passwd'],
  ...[
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://localhost',
    'https://a@b.c/',
    'javascript:alert(1)',
    'https://',
    'http:x',
  ],
  ...['١٢٣', '１２３', 'ⅷ', 'İ', 'ß', 'ﬁ', 'é', 'e\u0301', '😀', '👩‍👩‍👧‍👦', '\u{10ffff}', '\ufffd', 'ﷺ'.repeat(40)],
  ...[
    'a'.repeat(129),
    'a'.repeat(2001),
    'я'.repeat(5000),
    '😀'.repeat(64),
    ' a',
    'a ',
    'A',
    'RUB',
    'Rub',
    'usdt',
    'xxx',
  ],
  ...[
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '0',
    '-0',
    '1',
    '1e2',
    '0x10',
    '1_000',
  ],
  ...[
    '019A9C3E-7D5E-7B52-9F0C-0D6F3F3C6A10',
    '{019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10}',
    '019a9c3e7d5e7b529f0c0d6f3f3c6a10',
  ],
  ...['9'.repeat(18), '9'.repeat(19), '9'.repeat(40), '+7 999 123-45-67', '4111111111111111', '0'.repeat(34)],
]

/** Strings of every kind of trouble. */
export const hostileTexts: readonly string[] = [...words, ...times]

/** JSON texts of everything that is neither a string nor a number. */
export const hostileShapes = [
  ...['null', 'true', 'false', '{}', '[]', '[[]]', '[null]', '{"__proto__":{"a":1}}', '{"$ne":null}', '{"length":1}'],
  ...['"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', `${'['.repeat(33)}${']'.repeat(33)}`, `"${'x'.repeat(70_000)}"`],
  `[${'0,'.repeat(1100)}0]`,
  `{${Array.from({ length: 300 }, (_, index) => `"k${index}":${index}`).join()}}`,
]
