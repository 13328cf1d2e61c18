import type { FetchMessageObject, ImapFlow, MessageStructureObject } from 'imapflow'
import {
  headersOfAnswers,
  isAnswer,
  isProvenSender,
  isWantedSender,
  readMailHeaders,
  senderOf,
} from '../../rules/statements/mail.ts'
import {
  BadFile,
  isStatementName,
  mostBytes,
  type Pickup,
  type Depot,
  DepotFault,
} from '../../rules/statements/pickup.ts'
import { day } from '../../rules/time.ts'
import { type Content, type OpenDepot, type DepotFile, type DepotOptions, readWhole, stepMs } from './depot.ts'

/** How old mails may be. */
const lookBackMs = 31 * day

/** Most mails that are looked at in one round, and how many are asked for at once. */
const mostMails = 5000
const mailsOfPage = 500

/** Most statements in one mail. */
const mostAttachments = 100

type Attachment = { readonly part: string; readonly name: string }

const attachmentsOf = (node: MessageStructureObject): Attachment[] => {
  // What a mail only passes on, or a server has sent back, is not from its sender.
  if (node.type?.startsWith('message/') || node.type === 'multipart/report') return []
  if (node.childNodes) return node.childNodes.flatMap(attachmentsOf)
  const name = node.dispositionParameters?.['filename'] ?? node.parameters?.['name']
  return name === undefined || !isStatementName(name) ? [] : [{ part: node.part ?? '1', name }]
}

/** What is asked of the server about each mail. Lists of addresses or parts may be too long for a line; headers are not. */
const asked = {
  ...{ uid: true, internalDate: true, size: true },
  headers: ['from', 'authentication-results', ...headersOfAnswers],
}

/** A mail of a wanted sender as a file; its attachments are found when it is read. */
const fileOf = (
  { senders, checkedBy }: Pickup,
  { uid, headers: lines, internalDate, size = 0 }: FetchMessageObject,
): Omit<DepotFile, 'key' | 'read'> | undefined => {
  const headers = readMailHeaders(lines?.toString('utf8') ?? '')
  const sender = senderOf(headers)
  if (sender === undefined || !isWantedSender(sender, senders)) return undefined
  const sentAt = new Date(internalDate ?? Number.NaN)
  const time = Number.isNaN(sentAt.getTime()) ? undefined : sentAt.toISOString()
  const listed = {
    name: time === undefined ? `mail ${uid}` : `mail of ${time.slice(0, 19).replace('T', ' ')} UTC`,
    origin: time === undefined ? `mail of ${sender}` : `mail of ${sender}, ${time.slice(0, 10)}`,
    ...{ bytes: size, mayGrow: false },
  }
  if (!isProvenSender(sender, headers.get('authentication-results') ?? [], checkedBy ?? ''))
    return {
      ...listed,
      problem: `${checkedBy} does not say that the mail is really from ${sender}: ask the bank, and upload the file yourself if it is.`,
    }
  if (isAnswer(headers))
    return {
      ...listed,
      problem: `It answers another mail, so its attachments may be from somebody else: ask the bank, and upload the file yourself if it is the bank’s.`,
    }
  return listed
}

/** What the answer of a server is called that is too large for us. */
const tooLarge = new Set(['LineTooLarge', 'LiteralTooLarge', 'ResponseTooLarge', 'TooManyTokens'])

const failureOf = (error: unknown): DepotFault => {
  const { authenticationFailed, code } = error as { authenticationFailed?: boolean; code?: string }
  if (authenticationFailed === true) return new DepotFault('the mail server does not accept the user or the password')
  return new DepotFault(`the mail server does not answer as it should (${code ?? 'no answer'})`)
}

/** The newest mails that may be from wanted senders: searching finds a text anywhere in the header. */
const searchMails = async (client: ImapFlow, { senders }: Pickup, now: number) => {
  const since = new Date(now - lookBackMs)
  const found = new Set<number>()
  for (const from of senders) {
    const uids = await client.search({ since, from }, { uid: true })
    if (!uids) throw new DepotFault('the mail server does not search its mails')
    for (const uid of uids) found.add(uid)
  }
  const uids = [...found].toSorted((one, other) => one - other).slice(-mostMails)
  const pages = Array.from({ length: Math.ceil(uids.length / mailsOfPage) }, (_, page) =>
    uids.slice(page * mailsOfPage, (page + 1) * mailsOfPage),
  )
  return { pages, leftOut: found.size - uids.length }
}

/** A command that `imapflow` has no function for: it sends its own ones in the same way. */
type Commands = {
  exec(
    command: string,
    attributes: readonly { readonly type: 'STRING'; readonly value: string }[],
    options: {
      readonly untagged: Record<string, (answer: { readonly attributes?: { value?: unknown }[] }) => Promise<void>>
    },
  ): Promise<{ next(): void }>
}

/** Whether the server says that the user may put mails into the mailbox (RFC 4314); most servers say nothing. */
const mayInsert = async (client: ImapFlow, mailbox: string): Promise<boolean> => {
  // Other names would have to be encoded.
  if (!client.capabilities.has('ACL') || !/^[ -%'-~]+$/.test(mailbox)) return false
  let rights = ''
  const untagged = {
    MYRIGHTS: async ({ attributes = [] }: { readonly attributes?: { value?: unknown }[] }) => {
      const listed = attributes[1]?.value
      rights = typeof listed === 'string' ? listed : ''
    },
  }
  const commands = client as unknown as Commands
  // A server that refuses to say it does not end the look.
  const answer = await commands.exec('MYRIGHTS', [{ type: 'STRING', value: mailbox }], { untagged }).catch(() => null)
  answer?.next()
  return rights.includes('i')
}

const readAttachments = async (client: ImapFlow, uid: string): Promise<Content[]> => {
  const mail = await client.fetchOne(uid, { uid: true, bodyStructure: true }, { uid: true })
  if (!mail || !mail.bodyStructure) throw new BadFile('The mail server does not list what is attached to the mail.')
  const attachments = attachmentsOf(mail.bodyStructure)
  if (attachments.length > mostAttachments) throw new BadFile(`The mail has more than ${mostAttachments} attachments.`)
  const contents: Content[] = []
  for (const { part, name } of attachments) {
    const found = await client.download(uid, part, { uid: true, maxBytes: mostBytes, decodeText: false })
    if (!('content' in found) || !found.content) throw new DepotFault('a mail has gone meanwhile')
    contents.push({ name, bytes: await readWhole(found.content) })
  }
  return contents
}

/** A mailbox: the mails of the last month from wanted senders, each with its attachments. */
export const openMailbox = async (
  { host, port, user, path }: Extract<Depot, { host: string }>,
  { pickup, secret, lookup, signal, now }: DepotOptions,
): Promise<OpenDepot> => {
  const { ImapFlow } = await import('imapflow')
  let client: ImapFlow | undefined
  let validity: bigint | undefined
  /** Why the connection broke. */
  let broken: unknown
  const stop = (): void => client?.close()
  signal.addEventListener('abort', stop)
  const connect = async (): Promise<ImapFlow> => {
    broken = undefined
    client = new ImapFlow({
      ...{ host, port, secure: true, auth: { user, pass: secret }, tls: { lookup } },
      ...{ logger: false, disableAutoIdle: true, maxLockHoldTime: false },
      ...{ connectionTimeout: stepMs, greetingTimeout: stepMs, socketTimeout: stepMs },
      ...{ maxLineLength: 1024 * 1024, maxLiteralSize: mostBytes, maxResponseSize: 2 * mostBytes },
    })
    client.on('error', (error) => (broken = error))
    await client.connect()
    const { uidValidity } = await client.mailboxOpen(path, { readOnly: true })
    if (validity !== undefined && validity !== uidValidity) throw new DepotFault('the mailbox was replaced meanwhile')
    validity = uidValidity
    return client
  }
  /** Works on the connection, or on a new one: a mail on which it broke must not keep the others waiting. */
  const tried = async <T>(work: (client: ImapFlow) => Promise<T>): Promise<T> => {
    try {
      signal.throwIfAborted()
      return await work(client?.usable ? client : await connect())
    } catch (error) {
      stop()
      if (error instanceof DepotFault || error instanceof BadFile) throw error
      throw failureOf(broken ?? error)
    }
  }
  const read = (uid: number): Promise<Content[]> =>
    tried((opened) => readAttachments(opened, String(uid))).catch((error: unknown) => {
      const { code = '' } = (broken ?? {}) as { code?: string }
      throw tooLarge.has(code) ? new BadFile('The mail has too many parts.') : error
    })
  return {
    list: () =>
      tried(async (opened) => {
        const { pages, leftOut } = await searchMails(opened, pickup, now)
        const files: DepotFile[] = []
        for (const page of pages)
          for await (const mail of opened.fetch(page, asked, { uid: true })) {
            const file = fileOf(pickup, mail)
            if (file) files.push({ ...file, key: `${validity}/${mail.uid}`, read: () => read(mail.uid) })
          }
        const problems = [
          ...(leftOut > 0
            ? [
                `only the newest ${mostMails} mails that name its senders are looked at (left out: ${leftOut}): delete those that are not the bank’s`,
              ]
            : []),
          ...((await mayInsert(opened, path))
            ? [
                `${user} may put mails into the mailbox, and so may whoever knows the password: let a user read it without the right to insert (i)`,
              ]
            : []),
        ]
        return { files, ...(problems.length > 0 && { problem: problems.join('; ') }) }
      }),
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', stop)
      await client?.logout().catch(stop)
    },
  }
}
