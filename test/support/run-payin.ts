import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { run } from '../../src/cli/run.ts'
import { useLanguageOf } from '../../src/cli/say.ts'

/** The exit code of a command, and its output. */
export type PayinRun = { readonly code: number; readonly out: string; readonly error: string }

/** The surroundings of a command; without `columns` there is no terminal. */
export type PayinPlace = {
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
  readonly folder?: string
  readonly installation?: string
  readonly columns?: number
  readonly clock?: () => number
  /** Ends the command like Ctrl-C. */
  readonly ended?: AbortSignal
}

const collector = () => {
  const pieces: Buffer[] = []
  const stream = new Writable({
    write: (piece: Buffer, _encoding, done) => {
      pieces.push(piece)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(pieces).toString('utf8') }
}

/** Runs `payin` in this process, in a hundredth of the time of a separate one. */
export const runPayin = async (words: readonly string[], place: PayinPlace = {}): Promise<PayinRun> => {
  const { environment = {}, input = '', folder = tmpdir(), columns, clock = Date.now } = place
  const { installation = join(folder, 'nothing') } = place
  const { ended = new AbortController().signal } = place
  const [output, errors] = [collector(), collector()]
  const code = await run(words, {
    environment: { HOME: folder, ...environment },
    folder,
    installation,
    input: Readable.from([Buffer.from(input)]),
    output: output.stream,
    errors: errors.stream,
    columns,
    isBold: false,
    showsProgress: false,
    clock,
    newId: randomUUID,
    ended: () => ended,
  })
  // What follows in this process reads English, as it would in one of its own.
  await useLanguageOf({})
  return { code, out: output.text(), error: errors.text() }
}

/** Runs `payin` as an operator of a service. */
export const payinOf =
  (service: { readonly url: string; readonly operatorToken: string }) =>
  (words: readonly string[], place: PayinPlace = {}): Promise<PayinRun> =>
    runPayin(words, {
      ...place,
      environment: {
        PAYIN_URL: service.url,
        PAYIN_OPERATOR_TOKEN: service.operatorToken,
        ...place.environment,
      },
    })
