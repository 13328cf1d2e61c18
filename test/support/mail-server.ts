import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** A mail as the server received it. */
export type ReceivedMail = {
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** The other parts by the name of their file; the page is `page`. */
  readonly parts: Readonly<Record<string, string>>
  /** Its `X-Payin-Message`. */
  readonly id: string
}

/** A mail server on the loopback address that keeps the mails it receives. */
export type MailServer = AsyncDisposable & {
  readonly url: string
  readonly mails: ReceivedMail[]
  /** Its answer to a mail, or what it does instead. */
  answer: string
}

/** The answer of a mail server that does not acknowledge a mail. */
export const silence = 'silence'

/** The answer of a mail server that breaks off when it has a mail. */
export const hangUp = 'hang up'

const decodeWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?(Q|B)\?(.*?)\?=/gi, (_, kind: string, encoded: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(encoded, 'base64').toString('utf8')
        : decodeQuoted(encoded.replaceAll('_', ' ')),
    )

const decodeQuoted = (text: string): string => {
  const bytes = text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return /[\u0080-\u00ff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes
}

const headerOf = (head: string, name: string): string =>
  decodeWords(new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'im').exec(head)?.[1]?.replaceAll(/\r\n[ \t]/g, ' ') ?? '')

type Part = { readonly type: string; readonly name: string; readonly text: string }

/** The parts of a mail, of whatever depth, in their order. */
const partsOf = (raw: string): Part[] => {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  const type = headerOf(head, 'Content-Type')
  const boundary = /boundary="(.*?)"/.exec(type)?.[1]
  if (boundary !== undefined)
    return body
      .split(`--${boundary}`)
      .slice(1, -1)
      .flatMap((part) => partsOf(part.replace('\r\n', '')))
  const encoding = headerOf(head, 'Content-Transfer-Encoding').toLowerCase()
  const decoders: Record<string, (text: string) => string> = {
    base64: (text) => Buffer.from(text, 'base64').toString('utf8'),
    'quoted-printable': decodeQuoted,
  }
  const text = (decoders[encoding] ?? ((plain: string) => plain))(body).replaceAll('\r\n', '\n').trim()
  const name = /filename="?([^";]+)/.exec(headerOf(head, 'Content-Disposition'))?.[1]
  return [{ type, name: name ?? (type.startsWith('text/html') ? 'page' : ''), text }]
}

const parse = (to: readonly string[], raw: string): ReceivedMail => {
  const [head = ''] = raw.split('\r\n\r\n', 1)
  const [first, ...others] = partsOf(raw.replaceAll(/^\.\./gm, '.'))
  const parts = Object.fromEntries(others.map(({ name, text }) => [name, text]))
  return {
    to,
    subject: headerOf(head, 'Subject'),
    text: first?.text ?? '',
    parts,
    id: headerOf(head, 'X-Payin-Message'),
  }
}

/** Opens a mail server that accepts everything until its answer is changed. */
export const openMailServer = async (): Promise<MailServer> => {
  const sockets = new Set<Socket>()
  const serve = (socket: Socket): void => {
    let buffer = ''
    let to: string[] = []
    let inData = false
    const say = (line: string): void => void socket.write(`${line}\r\n`)
    const take = (line: string): void => {
      if (/^(EHLO|HELO)/i.test(line)) say('250 mail.test')
      else if (/^MAIL/i.test(line)) say('250 ok')
      else if (/^RCPT/i.test(line)) {
        to.push(/<(.*?)>/.exec(line)?.[1] ?? '')
        say('250 ok')
      } else if (/^DATA/i.test(line)) {
        inData = true
        say('354 go on')
      } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
      else say('250 ok')
    }
    const takeMail = (raw: string): void => {
      inData = false
      server.mails.push(parse(to, raw))
      to = []
      if (server.answer === hangUp) socket.destroy()
      else if (server.answer !== silence) say(server.answer)
    }
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      buffer += chunk
      for (;;) {
        const end = buffer.indexOf(inData ? '\r\n.\r\n' : '\r\n')
        if (end < 0) return
        const part = buffer.slice(0, end)
        buffer = buffer.slice(end + (inData ? 5 : 2))
        if (inData) takeMail(part)
        else take(part)
      }
    })
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    sockets.add(socket)
    say('220 mail.test')
  }
  const listener = createServer(serve)
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const server: MailServer = {
    url: `smtp://127.0.0.1:${address.port}`,
    mails: [],
    answer: '250 taken',
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
  return server
}
