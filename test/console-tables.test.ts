// Which columns a table of the console shows at which of its widths is written next to each column; a browser is too
// slow to try all widths.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '..')

/** Widths of tables, from a window of 320 pixels to a large one. */
const widths = Array.from({ length: 1500 }, (_, index) => 294 + index)
/** Between two columns, and at the two edges of the table together. */
const space = { between: 16, edges: 28 }

type Column = { readonly name: string; readonly least: number; readonly from: number; readonly to: number }

const column = /name: '([^']+)',\s*width: '(?:minmax\()?(\d+)(?:px)?[^']*'((?:,\s*(?:align|from|to): [^,}]+)*)/g

const readColumns = (source: string): Column[] => {
  const named = new Map([...source.matchAll(/const (\w+) = (\d+)$/gm)].map(([, name, value]) => [name, Number(value)]))
  const valueOf = (text = ''): number => {
    const [, word = '', less = '0'] = /^([\w.]+)(?: - (\d+))?$/.exec(text.trim()) ?? []
    return (named.get(word) ?? Number(word)) - Number(less)
  }
  return [...source.matchAll(column)].map(([, name = '', least, rest = '']) => {
    const [from, to] = ['from', 'to'].map((key) => new RegExp(`\\b${key}: ([^,]+)`).exec(rest)?.[1])
    return {
      ...{ name, least: Number(least) },
      ...{ from: from === undefined ? 0 : valueOf(from), to: to === undefined ? Infinity : valueOf(to) },
    }
  })
}

/** The first width at which the columns of a table need more, if there is one. */
const findTooNarrow = (columns: readonly Column[]): string | undefined => {
  for (const width of widths) {
    const shown = columns.filter(({ from, to }) => width >= from && width <= to)
    const needed = shown.reduce((sum, { least }) => sum + least + space.between, space.edges - space.between)
    if (needed > width) return `at ${width} px, ${shown.map(({ name }) => name).join(', ')} need ${needed} px`
  }
  return undefined
}

test('every table of the console fits into its width, whatever the window', () => {
  const tables = globSync('console/src/**/*.tsx', { cwd: root }).flatMap((path) => {
    const source = readFileSync(resolve(root, path), 'utf8')
    return /Column<\w+>(\[\]| =>|\s*=)/.test(source) ? [{ path, columns: readColumns(source) }] : []
  })
  assert.ok(tables.filter(({ columns }) => columns.length > 2).length > 20, `${tables.length} tables`)
  const faults = tables.flatMap(({ path, columns }) => {
    const fault = findTooNarrow(columns)
    return fault === undefined ? [] : [`${path}: ${fault}`]
  })
  assert.deepEqual(faults, [])
})

test('every page with a table has an export', () => {
  const paths = globSync('console/src/**/*.tsx', { cwd: root })
  const tables = paths.filter((path) => readFileSync(resolve(root, path), 'utf8').includes('<DataTable'))
  // The page around its rows has the export.
  const where = (path: string): string => path.replace('statement-rows', 'statement-page')
  assert.deepEqual(
    tables.filter((path) => !readFileSync(resolve(root, where(path)), 'utf8').includes('<CsvButton')),
    [],
  )
})

test('a table that needs more than its width is found', () => {
  const source = `
const wide = 400
const columns: readonly Column<Row>[] = [
  { name: 'Order', width: 'minmax(120px, 1fr)', cell: () => null },
  {
    name: 'Amount',
    width: '130px',
    align: 'end',
    from: wide,
    cell: () => null,
  },
  { name: 'Status', width: '104px', from: 400, cell: () => null },
  { name: 'Both', width: '90px', to: wide - 1, cell: () => null },
]`
  const columns = readColumns(source)
  assert.deepEqual(columns, [
    { name: 'Order', least: 120, from: 0, to: Infinity },
    { name: 'Amount', least: 130, from: 400, to: Infinity },
    { name: 'Status', least: 104, from: 400, to: Infinity },
    { name: 'Both', least: 90, from: 0, to: 399 },
  ])
  assert.equal(findTooNarrow(columns), 'at 400 px, Order, Amount, Status need 414 px')
})
