// Files of people whose first line names the columns, for the command line and the console.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { parse as parseInBrowser } from 'csv-parse/browser/esm/sync'
import { readCsvTable } from '../../src/rules/statements/csv-table.ts'

const a1 = { line: 2, cells: { a: '1', b: '2' } }
const cases: Readonly<Record<string, readonly [text: string, expected: unknown]>> = {
  'commas, and a missing optional cell': ['a,b,c\n1,2,\n1,2', [a1, { ...a1, line: 3 }]],
  'semicolons, a byte order mark, empty rows and blanks': [
    '\uFEFFa; b\r\n\r\n1 ;2\r\n;\r\n1;2',
    [
      { ...a1, line: 3 },
      { ...a1, line: 5 },
    ],
  ],
  tabs: ['a\tb\n1\t2', [a1]],
  'separators, quotation marks and line breaks in a cell': [
    'a;b\r\n"1; ""2""\r\n3";4\r\n1;2\r\n',
    [
      { line: 2, cells: { a: '1; "2"\r\n3', b: '4' } },
      { ...a1, line: 4 },
    ],
  ],
  'a quotation mark that does not end': [
    'a;b\n1;2\n1;"2\n3;4\n',
    'Line 3: The row is not well-formed CSV in cell 2: a quotation mark begins the cell, and none ends it. Correct it in a text editor.',
  ],
  'a quotation mark within a cell': [
    'a;b\n1;2\n\n1;"2" x\n',
    'Line 4: The row is not well-formed CSV in cell 2: a quotation mark is missing, or one inside of the text is not doubled. Correct it in a text editor.',
  ],
  'a row with more cells than columns': [
    'a;b\n1;2\n1;2;3\n',
    'Line 3 has 3 cells, but there are 2 columns: put quotation marks around a cell that contains the separator.',
  ],
  'a missing and an unknown column': [
    'a;d\n1;2\n',
    'The first line does not name b. There is an unknown column: d. The first line names the columns: a, b; optional: c.',
  ],
  'no rows': ['a;b\n;\n', 'There are no rows below the first line.'],
  'an empty file': ['', 'The first line does not name a, b. The first line names the columns: a, b; optional: c.'],
}

for (const [name, [text, expected]] of Object.entries(cases))
  test(`a file of ${name} is ${typeof expected === 'string' ? 'refused' : 'read'}, also in a browser`, () => {
    for (const each of [parse, parseInBrowser]) assert.deepEqual(readCsvTable(each, text, ['a', 'b'], ['c']), expected)
  })
