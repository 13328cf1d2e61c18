import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** The addresses of a name, one list for each look-up; the last list is repeated. Without lists it gets no answer. */
export type NameAnswers = Readonly<Record<string, readonly (readonly string[])[]>>

/** A name server (RFC 1035) on the loopback address. */
export type NameServer = AsyncDisposable & {
  /** Address and port. */
  readonly address: string
  /** The questions that it received, for example `A shop.test`. */
  readonly questions: string[]
}

const types: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' }

const readName = (message: Buffer): { readonly name: string; readonly end: number } => {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 }
}

const toBytes = (address: string): Buffer => {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  // The parser of URLs knows every form of an address, but keeps an omitted part omitted.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [before, after] = [head, tail].map((part) => part.split(':').filter((word) => word !== ''))
  const zeros = Array<string>(8 - (before?.length ?? 0) - (after?.length ?? 0)).fill('0')
  const words = [...(before ?? []), ...zeros, ...(after ?? [])]
  return Buffer.from(words.flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 0xff]))
}

const record = (type: number, data: Buffer): Buffer => {
  // A pointer to the name of the question, class IN, no time to live.
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
  return Buffer.concat([head, data])
}

const answerTo = (question: Buffer, end: number, type: number, addresses: readonly string[] | null): Buffer => {
  const wanted = (addresses ?? []).filter((address) => address.includes(':') === (type === 28))
  const header = Buffer.from(question.subarray(0, 12))
  // An answer of a recursive server, without an error or with that of an unknown name.
  header.writeUInt16BE(0x8180 | (addresses === null ? 3 : 0), 2)
  header.fill(0, 6)
  header.writeUInt16BE(wanted.length, 6)
  return Buffer.concat([header, question.subarray(12, end), ...wanted.map((address) => record(type, toBytes(address)))])
}

/** Opens a name server that knows these names; a name without lists gets no answer. */
export const openNameServer = async (names: NameAnswers): Promise<NameServer> => {
  const questions: string[] = []
  const socket = createSocket('udp4', (question, from) => {
    const { name, end } = readName(question)
    const type = question[end - 3] ?? 0
    const asked = `${types[type] ?? type} ${name}`
    questions.push(asked)
    const answers = Object.hasOwn(names, name) ? names[name] : [null]
    if (!answers || answers.length === 0) return
    const times = questions.filter((each) => each === asked).length
    const addresses = answers[Math.min(times, answers.length) - 1] ?? null
    socket.send(answerTo(question, end, type, addresses), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    [Symbol.asyncDispose]: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}
