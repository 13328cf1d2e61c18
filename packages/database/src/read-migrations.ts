import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

/** A file of `migrations/`. */
export type Migration = {
  readonly name: string
  /** The first four digits of the name. */
  readonly number: string
  /** SHA-256 of the file: a migration that was applied is never edited. */
  readonly checksum: string
  /** Its SQL commands, without comments. */
  readonly commands: readonly string[]
  /** `--! no transaction`: each command is applied separately, and may be applied again after a crash. */
  readonly withoutTransaction: boolean
  /** `--! oldest NNNN`: afterwards only versions that know the migration with this number may run. */
  readonly oldest: string | undefined
  /** `--! contract: …`: why what it removes is no longer used. */
  readonly contract: string | undefined
}

/** The name of the index that a command builds concurrently. */
export const indexBuiltBy = (command: string): string | undefined =>
  /^create (?:unique )?index concurrently (\w+)\s/i.exec(command)?.[1]

/** Whether a command may run again after a crash in the middle of it. */
const repeatable = (command: string): boolean =>
  /^drop index concurrently if exists \w+$/i.test(command) ||
  /^(?:update|delete from) /i.test(command) ||
  (indexBuiltBy(command) !== undefined && !/^create (?:unique )?index concurrently if\s/i.test(command))

/** The SQL commands of a text, without comments: every engine accepts them one at a time. */
export const splitCommands = (sql: string): string[] => {
  const commands: string[] = []
  const marks = /['";]|--|\/\*|\$\w*\$/g
  let command = ''
  let from = 0
  for (let found = marks.exec(sql); found; found = marks.exec(sql)) {
    const [opening] = found
    command += sql.slice(from, found.index)
    from = marks.lastIndex
    if (opening === ';') {
      commands.push(command.trim())
      command = ''
      continue
    }
    const isComment = opening === '--' || opening === '/*'
    const closing = opening === '--' ? '\n' : opening === '/*' ? '*/' : opening
    const end = sql.indexOf(closing, from)
    if (end < 0 && opening !== '--') throw new Error(`${opening} is opened and not closed`)
    from = end < 0 ? sql.length : end + closing.length
    command += isComment ? ' ' : sql.slice(found.index, from)
    marks.lastIndex = from
  }
  commands.push((command + sql.slice(from)).trim())
  return commands.filter((each) => each !== '')
}

/** Reads a migration; throws an Error that says what is wrong with it. */
export const parseMigration = (name: string, content: string): Migration => {
  const wrong = (reason: string): Error => new Error(`Migration ${name}: ${reason}.`)
  const marks = [...content.matchAll(/^--!(.*)$/gm)].map((match) => (match[1] ?? '').trim())
  const withoutTransaction = marks.includes('no transaction')
  const oldest = marks.map((mark) => /^oldest (\d{4})$/.exec(mark)?.[1]).find((found) => found !== undefined)
  const contract = marks.map((mark) => /^contract: (.+)$/.exec(mark)?.[1]).find((found) => found !== undefined)
  const unknown = marks.find((mark) => !/^(?:no transaction|oldest \d{4}|contract: .+)$/.test(mark))
  if (unknown !== undefined)
    throw wrong(`"--! ${unknown}" is not "no transaction", "oldest NNNN" or "contract: reason"`)
  const commands = splitCommands(content)
  const stuck = withoutTransaction ? commands.find((command) => !repeatable(command)) : undefined
  if (stuck !== undefined) {
    throw wrong(
      `"${stuck.slice(0, 60)}" could not be resumed without a transaction. Only create index concurrently, drop index concurrently if exists, update and delete can`,
    )
  }
  return {
    name,
    number: name.slice(0, 4),
    checksum: createHash('sha256').update(content).digest('hex'),
    commands,
    withoutTransaction,
    oldest,
    contract,
  }
}

/** The migrations of a folder in number order. */
export const readMigrations = async (folder: string): Promise<Migration[]> => {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).toSorted()
  return Promise.all(names.map(async (name) => parseMigration(name, await readFile(`${folder}/${name}`, 'utf8'))))
}
