// What commands derive from the declarations of their operations.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { Command } from 'commander'
import { declaredCommands } from '../src/cli/noun-commands.ts'
import { render } from '../src/cli/print-table.ts'
import { printRow } from '../src/cli/show-rows.ts'
import { type Field, fieldsOf, shownAlone } from '../src/operations/field.ts'
import { Id, ofRequisite } from '../src/operations/fields.ts'
import { type Noun, operation, type Operations } from '../src/operations/operation.ts'
import { presented, Type } from '../src/operations/schema.ts'

const helpOf = (body: Parameters<typeof Type.Exact>[0]): string => {
  const description = 'Sent with `otherField` (`doneAt`). Refused with `invalid_state`.'
  const set = operation('PATCH /things', 'configure', {
    id: 'setThing',
    summary: 'Set it',
    description,
    body,
    command: {},
  })
  const command = new Command('set').configureHelp({ helpWidth: 200 })
  const neverOpened = (): never => assert.fail('nothing runs')
  declaredCommands({ set })['set']?.define(command, neverOpened)
  return command.helpInformation()
}

test('help names options instead of fields, percent instead of millionths, and the word for nothing', () => {
  const help = helpOf({
    'stepPpm?': presented(
      Type.Integer({ description: 'Largest step, in millionths of the price; needs `otherField`.' }),
      {
        kind: 'percent',
      },
    ),
    'otherField?': Type.OrNull(Type.String(), 'Of the `unknownField`.'),
    'most?': Type.OrNull(Type.Integer(), 'Most of them; `null` for no limit.'),
    maxAgeMs: presented(Type.Integer({ description: 'How old it may be, in milliseconds.' }), { kind: 'span' }),
    maxStepPpm: presented(Type.Integer({ description: 'Largest step, in millionths of it. Default: 30000.' }), {
      kind: 'percent',
    }),
    marks: presented(Type.Array(Type.OneOf(['good', 'bad']), { description: 'Marks of it; empty for all.' }), {
      absent: 'all',
    }),
    'settings?': Type.Object({ ownOnly: Type.Flag('Only its own.') }),
  })
  assert.match(help, /--step <percent> +largest step; needs --other-field\n/)
  assert.match(help, /--other-field <field> +of the unknownField; or none\n/)
  assert.match(help, /--most <number> +most of them; none for no limit\n/)
  assert.match(help, /\n\nSet it\. Sent with --other-field\.\n\n/)
  assert.match(help, /--max-age <span> +how old it may be\n/)
  assert.match(help, /--max-step <percent> +largest step; default: 3 %\n/)
  assert.match(help, /--marks <marks> +marks of it; separated by commas \(choices: good, bad\); or all\n/)
  assert.match(help, /--own-only <yes\|no> +only its own\n/)
})

const show = (answer: object, row: Readonly<Record<string, unknown>>): string =>
  render(printRow(answer, row), { width: Infinity, isBold: false })

test('the fields of a group are shown among the others, unless their names are not the only ones', () => {
  const group = Type.Object({ name: Type.String(), size: presented(Type.Integer(), { kind: 'span' }) })
  const thing = { name: 'inner', size: 60_000 }
  assert.equal(show({ kind: Type.String(), thing: group }, { kind: 'x', thing }), 'Kind  x\nName  inner\nSize  1 min')
  assert.equal(
    show({ name: Type.String(), thing: group }, { name: 'x', thing }),
    'Name   x\nThing  name inner; size 1 min',
  )
})

test('an empty list is what its field says of nothing', () => {
  const answer = { kinds: presented(Type.Array(Type.String()), { absent: 'all' }) }
  assert.equal(show(answer, { kinds: [] }), 'Kinds  all')
  assert.equal(show(answer, { kinds: ['a', 'b'] }), 'Kinds  a, b')
})

const id = '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'

test('a requisite is shown once, as operators know it, else by its id', () => {
  const shown = (row: object) =>
    render(printRow(Type.Object({ ...ofRequisite, id: Id }), { ...row }), { width: 80, isBold: false })
  const requisite = { label: 'Main account', method: 'sbp', bankIssuer: 'sberbank', number: '•••• 4821' }
  assert.match(shown({ requisiteId: id, requisite, id }), /^Requisite +Main account\nId +019a\S+$/)
  assert.match(shown({ requisiteId: id, id }), /^Requisite +019a\S+\nId +019a\S+$/)
})

test('counts of 0 are left out, no ids are what is said where there are none, rows have the currency of the answer', () => {
  const inCurrency = { currency: 'currency' }
  const answer = Type.Object({
    amount: presented(Type.Number(), inCurrency),
    currency: Type.String(),
    counts: presented(Type.Object({ rows: Type.Integer(), errors: Type.Integer() }), { heading: 'Counts' }),
    candidates: presented(Type.Array(Id), { absent: 'none' }),
    parts: Type.Rows('', { amount: presented(Type.Number(), inCurrency) }),
  })
  const row = { amount: 5, currency: 'rub', counts: { rows: 2, errors: 0 }, candidates: [], parts: [{ amount: 5 }] }
  assert.equal(
    render(printRow(answer, row), { width: 80, isBold: false }),
    'Amount      5.00 rub\nCounts      rows 2\nCandidates  none\n\n  AMOUNT\n5.00 rub',
  )
})

test('an option for several things leaves the argument after it alone, and none is not the name of a file', async () => {
  const body = {
    'transferIds?': presented(Type.Array(Id), { of: 'transfer' }),
    'mapping?': Type.OrNull(presented(Type.Object({}), { kind: 'document' })),
  }
  const params = Type.Object({ name: Type.String() })
  const set = operation('PATCH /things/{name}', 'configure', {
    id: 'setThing',
    summary: 'Set it',
    params,
    body,
    command: {},
  })
  const sent: unknown[] = []
  const session = { call: (...asked: unknown[]) => (sent.push(asked), Promise.resolve({ body: {} })), show: () => {} }
  const command = new Command('set').exitOverride()
  declaredCommands({ set })['set']?.define(command, () => session as never)
  await command.parseAsync(['--mapping', 'none', '--transfer', id, 'x'], { from: 'user' })
  assert.equal(JSON.stringify(sent[0]).includes('"mapping":null'), true, JSON.stringify(sent))
})

/** All declared operations, with the names of their files. */
const allOperations = async (): Promise<[file: string, operation: Operations[string]][]> => {
  const folder = resolve(import.meta.dirname, '..', 'src', 'operations')
  const loaded = globSync('*.ts', { cwd: folder }).map(async (file) => {
    const exported = Object.values((await import(join(folder, file))) as Record<string, Partial<Noun> | undefined>)
    return exported
      .flatMap((each) => Object.values((each?.operations ?? each ?? {}) as Operations))
      .filter((each) => typeof each === 'object' && each !== null && 'duty' in each)
      .map((each): [string, Operations[string]] => [file, each])
  })
  return (await Promise.all(loaded)).flat()
}

test('no answer of a command has two facts with one heading', async () => {
  const twice = (fields: readonly Field[], path: string): string[] => {
    const headings = shownAlone(fields).map(({ heading }) => heading)
    return [
      ...headings.flatMap((heading, index) => (headings.indexOf(heading) < index ? `${path}: ${heading}` : [])),
      ...fields.flatMap(({ name, kind, fields: inner = [] }) =>
        kind === 'rows' ? twice(inner, `${path}.${name}`) : [],
      ),
    ]
  }
  const found = (await allOperations()).flatMap(([file, { id: operationId, answer, answers = {} }]) =>
    twice(fieldsOf(answer ?? Object.values(answers)[0]), `${file} ${operationId}`),
  )
  assert.deepEqual(found, [])
})
