// The tables of docs/roles.md, and the operations that they are about.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestService } from './service.ts'
import { send } from './shop.ts'

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''))

const readTable = (firstColumn: string, secondColumn: string): string[][] => {
  const lines = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'roles.md'), 'utf8').split('\n')
  const start = lines.findIndex((line) => {
    const [first, second] = cellsOf(line)
    return first === firstColumn && second === secondColumn
  })
  const end = lines.indexOf('', start)
  return lines.slice(start, end === -1 ? undefined : end).map(cellsOf)
}

/** Whether operators of a role may call an operation, according to the document's tables. */
export const readRoleTables = (): ((role: string, operation: string) => boolean) => {
  const [header = [], , ...duties] = readTable('duty', 'owner')
  const dutyOf = new Map(readTable('operation', 'duty').map(([operation = '', duty = '']) => [operation, duty]))
  return (role, operation) => {
    const row = duties.find(([duty]) => duty === dutyOf.get(operation))
    if (!row) throw new Error(`docs/roles.md does not have ${operation}`)
    return row[header.indexOf(role)] === 'yes'
  }
}

/** The scope that an operation of the merchant API needs, according to the document's table. */
export const readScopeTable = (): ReadonlyMap<string, string> =>
  new Map(readTable('operation', 'scope').map(([operation = '', scope = '']) => [operation, scope]))

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
