import type { FetchMessageObject, ImapFlow, MessageStructureObject } from 'imapflow'
import {
  isProvenSender,
  isStatementName,
  isWantedSender,
  mostBytes,
  type Pickup,
  type Depot,
  DepotFault,
} from '../../rules/statements/pickup.ts'
import { day } from '../../rules/time.ts'
import { type OpenDepot, type DepotFile, type DepotOptions, readWhole, stepMs } from './depot.ts'

/** How old mails may be. */
const lookBackMs = 31 * day

/** Most mails that are looked at in one round. */
const mostMails = 500

type Attachment = { readonly part: string; readonly name: string; readonly bytes: number }

const attachmentsOf = (node: MessageStructureObject | undefined): Attachment[] => {
  if (!node) return []
  if (node.childNodes) return node.childNodes.flatMap(attachmentsOf)
  const name = node.dispositionParameters?.['filename'] ?? node.parameters?.['name']
  if (name === undefined || !isStatementName(name)) return []
  // Encoded for the mail; what it has is smaller.
  return [{ part: node.part ?? '1', name, bytes: node.size ?? 0 }]
}

/** The values of the headers Authentication-Results, the topmost first. */
const authenticationResults = (headers: Buffer | undefined): string[] => {
  const lines = (headers?.toString('utf8') ?? '').replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  return lines.flatMap((line) => /^authentication-results:(.*)$/i.exec(line)?.[1] ?? [])
}

const filesOf = (pickup: Pickup, mailbox: string, mail: FetchMessageObject): DepotFile[] => {
  const [from, ...others] = mail.envelope?.from ?? []
  const sender = from?.address ?? ''
  if (others.length > 0 || !isWantedSender(sender, pickup.senders)) return []
  const isProven = isProvenSender(sender, authenticationResults(mail.headers), pickup.checkedBy ?? '')
  const sentAt = new Date(mail.internalDate ?? Number.NaN)
  return attachmentsOf(mail.bodyStructure).map(({ part, name, bytes }) => ({
    key: `${mailbox}/${mail.uid}/${part}`,
    name,
    origin: Number.isNaN(sentAt.getTime())
      ? `mail of ${sender}`
      : `mail of ${sender}, ${sentAt.toISOString().slice(0, 10)}`,
    bytes,
    mayGrow: false,
    ...(!isProven && {
      problem: `${pickup.checkedBy} does not say that the mail is really from ${sender}: ask the bank, and upload the file yourself if it is.`,
    }),
  }))
}

const failureOf = (error: unknown): DepotFault => {
  const { authenticationFailed, code } = error as { authenticationFailed?: boolean; code?: string }
  if (authenticationFailed === true) return new DepotFault('the mail server does not accept the user or the password')
  return new DepotFault(`the mail server does not answer as it should (${code ?? 'no answer'})`)
}

const listMails = async (client: ImapFlow, { senders }: Pickup, now: number): Promise<FetchMessageObject[]> => {
  const since = new Date(now - lookBackMs)
  const found = new Set<number>()
  for (const from of senders)
    for (const uid of (await client.search({ since, from }, { uid: true })) || []) found.add(uid)
  if (found.size === 0) return []
  const uids = [...found].toSorted((one, other) => other - one).slice(0, mostMails)
  const query = {
    uid: true,
    envelope: true,
    bodyStructure: true,
    internalDate: true,
    headers: ['authentication-results'],
  }
  return client.fetchAll(uids, query, { uid: true })
}

/** A mailbox: the attachments in the mails of the last month from wanted senders. */
export const openMailbox = async (
  { host, port, user, path }: Extract<Depot, { host: string }>,
  { pickup, secret, lookup, signal, now }: DepotOptions,
): Promise<OpenDepot> => {
  const { ImapFlow } = await import('imapflow')
  const client = new ImapFlow({
    ...{ host, port, secure: true, auth: { user, pass: secret }, tls: { lookup } },
    ...{ logger: false, disableAutoIdle: true, maxLockHoldTime: false },
    ...{ connectionTimeout: stepMs, greetingTimeout: stepMs, socketTimeout: stepMs },
    ...{ maxLineLength: 1024 * 1024, maxLiteralSize: mostBytes, maxResponseSize: 2 * mostBytes },
  })
  // Whatever was asked for then fails, too.
  client.on('error', () => undefined)
  const stop = (): void => client.close()
  signal.addEventListener('abort', stop)
  const tried = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      signal.throwIfAborted()
      return await work()
    } catch (error) {
      stop()
      throw error instanceof DepotFault ? error : failureOf(error)
    }
  }
  const { uidValidity } = await tried(async () => {
    await client.connect()
    return client.mailboxOpen(path, { readOnly: true })
  })
  return {
    list: () =>
      tried(async () =>
        (await listMails(client, pickup, now)).flatMap((mail) => filesOf(pickup, String(uidValidity), mail)),
      ),
    read: ({ key }) =>
      tried(async () => {
        const [, uid = '', part = ''] = key.split('/')
        const found = await client.download(uid, part, { uid: true, maxBytes: mostBytes })
        if (!('content' in found) || !found.content) throw new DepotFault('a mail has gone meanwhile')
        return readWhole(found.content)
      }),
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', stop)
      await client.logout().catch(stop)
    },
  }
}
