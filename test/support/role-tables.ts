// What docs/roles.md says, and the operations that they are about.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestService } from './service.ts'
import { send } from './shop.ts'

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''))

const readLines = (): string[] =>
  readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'roles.md'), 'utf8').split('\n')

/** The words below a heading, each with the operations that it lists. */
const readLists = (heading: string): [operation: string, word: string][] => {
  const lines = readLines()
  const below = lines.slice(lines.indexOf(heading) + 1)
  const end = below.findIndex((line) => line.startsWith('#'))
  return below.slice(0, end === -1 ? undefined : end).flatMap((line) => {
    const [, word, list = ''] = /^- \*\*(.+?)\*\*: (.*)$/.exec(line) ?? []
    return word === undefined ? [] : list.split(', ').map((each): [string, string] => [each.replaceAll('`', ''), word])
  })
}

/** Whether operators of a role may call an operation, according to the document. */
export const readRoleTables = (): ((role: string, operation: string) => boolean) => {
  const [header = [], , ...duties] = readLines()
    .filter((line) => line.startsWith('|'))
    .map(cellsOf)
  const dutyOf = new Map(readLists('## Operations of the operator API, by duty'))
  return (role, operation) => {
    const row = duties.find(([duty]) => duty === (dutyOf.get(operation) ?? 'read'))
    if (!row) throw new Error(`docs/roles.md does not have the duty of ${operation}`)
    return row[header.indexOf(role)] === 'yes'
  }
}

/** The scope that an operation of the merchant API needs, according to the document. */
export const readScopeTable = (): ReadonlyMap<string, string> =>
  new Map(readLists('## Operations of the merchant API, by scope'))

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An operation of an API; its path has no prefix. */
export type Operation = { readonly method: Method; readonly path: string; readonly id: string }

/** Every operation of the OpenAPI document whose path starts with the prefix. */
export const operationsUnder = async (service: TestService, prefix: string): Promise<Operation[]> => {
  const { body } = await send(service, '/openapi.json')
  return Object.entries<Record<string, { operationId: string }>>(body.paths)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        method: method.toUpperCase() as Method,
        path: path.slice(prefix.length),
        id: operationId,
      })),
    )
}
