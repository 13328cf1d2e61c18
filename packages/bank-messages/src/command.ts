#!/usr/bin/env node
// The command `bank-messages`: prints what messages of banks say.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import type { Message, Reading } from './message.ts'
import { readMessage, unknown } from './read-message.ts'

const help = `bank-messages [--json] [<file>]

Reads messages, one JSON document in a line, with channel (sms or push), sender, package, title and text.
Prints one line for each, in order; a line that is no message is unknown, and the exit code is 1. Without a file, or with -, it reads the standard input.

  --json  print JSON documents; amounts are decimal texts
  --help  print this
`

/** A mistake in the arguments. */
class WrongUsage extends Error {}

const readArguments = (args: readonly string[]) => {
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { json: flag, help: flag } })
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : String(error))
  }
}

const isText = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || typeof value === 'string'

/** The message of a line, or why it has none. */
const parseLine = (line: string): Message | string => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return 'it is not JSON'
  }
  if (typeof value !== 'object' || value === null) return 'it is not an object'
  const { channel, sender, package: origin, title, text } = value as Record<string, unknown>
  if (channel !== 'sms' && channel !== 'push') return 'channel is not "sms" or "push"'
  if (![sender, origin, title, text].every(isText)) return 'sender, package, title or text is not a text'
  return { ...(value as Message), channel, text: (text as string | null | undefined) ?? '' }
}

const show = ({ kind, amount, currency, account, balance, senderName }: Reading): string => {
  const money = [amount, currency].filter((each) => each !== null).join(' ')
  const cells = [kind, money, account ?? '', senderName ?? '', balance === null ? '' : `balance ${balance}`]
  return cells
    .filter((cell) => cell !== '')
    .join('  ')
    .trim()
}

const run = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = readArguments(args)
  if (values.help) return void process.stdout.write(help)
  const [path = '-', ...others] = positionals
  if (others.length > 0) throw new WrongUsage('Name one file.')
  const input = path === '-' ? process.stdin : createReadStream(path)
  const reader = createInterface({ input, crlfDelay: Infinity })
  // The interface does not pass on that the file cannot be read.
  const failed = new Promise<never>((_, reject) => input.once('error', reject))
  const print = async (): Promise<void> => {
    let number = 0
    for await (const line of reader) {
      number += 1
      if (line.trim() === '') continue
      const message = parseLine(line)
      if (typeof message === 'string') {
        process.stderr.write(`Line ${number}: ${message}\n`)
        process.exitCode = 1
      }
      const reading = typeof message === 'string' ? unknown : readMessage(message)
      process.stdout.write(`${values.json ? JSON.stringify(reading) : show(reading)}\n`)
    }
  }
  await Promise.race([print(), failed])
}

const explain = (error: unknown): string =>
  error instanceof WrongUsage
    ? `${error.message}\nUsage: bank-messages [--json] [<file>] (--help for more)\n`
    : `${error instanceof Error ? error.message : String(error)}\n`

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

try {
  await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(explain(error))
  process.exitCode = 1
}
