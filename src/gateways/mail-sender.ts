import { PassThrough } from 'node:stream'
import { second } from '../rules/time.ts'

export type Mail = {
  /** The same for every attempt at one message, so that a receiver can recognise it. */
  readonly id: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** The same as a page, for programs that show it. */
  readonly html?: string
  readonly attachments?: readonly {
    readonly filename: string
    readonly contentType: string
    readonly content: string
  }[]
}

/** Why a mail was not accepted. */
export type MailFailure = {
  /** Without credentials. */
  readonly reason: string
  /** Whether the server may have accepted it nevertheless: the connection ended before its answer. */
  readonly mayHaveArrived: boolean
}

/** Sends e-mails through the operator's server; never throws. */
export type MailSender = {
  /** Why the server did not accept the mail, or `null`. */
  send(mail: Mail): Promise<MailFailure | null>
  /** Cancels everything under way. */
  close(): void
}

/** Time limit for each step of a conversation with the server. */
const stepMs = 10 * second
const mailMs = 30 * second

const reasonOf = (error: unknown): string => {
  const { code, responseCode, command } = error as { code?: unknown; responseCode?: unknown; command?: unknown }
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time'
  // A server's text may quote what it was sent; its codes say enough.
  const parts = [code, command, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number')
  return parts.length > 0 ? parts.join(' ') : 'failed'
}

/** A sender through the server of an `smtp:` or `smtps:` address, as `from`. The first mail loads the package. */
export const createMailSender = (url: string, from: string): MailSender => {
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    const { hostname } = new URL(url)
    const times = { connectionTimeout: stepMs, greetingTimeout: stepMs, socketTimeout: stepMs, dnsTimeout: stepMs }
    // Only our own text is sent: it refers to no file or address whose content would be added.
    const guards = { disableFileAccess: true, disableUrlAccess: true }
    const transport = createTransport({ url, ...times, ...guards })
    const handedOver = new Set<string>()
    // A stage of the content, which is only opened once the server may be given a mail.
    transport.use('stream', (mail, done) => {
      mail.message?.transform(() => {
        handedOver.add(mail.message?.messageId() ?? '')
        return new PassThrough()
      })
      done()
    })
    return { transport, hostname, handedOver }
  }
  let opened: ReturnType<typeof open> | undefined
  return {
    send: async ({ id, to, attachments, ...content }) => {
      let isHandedOver = (): boolean => false
      try {
        const { transport, hostname, handedOver } = await (opened ??= open())
        const messageId = `<${id}@${hostname}>`
        isHandedOver = () => handedOver.delete(messageId)
        const signal = AbortSignal.timeout(mailMs)
        await transport.sendMail({
          messageId,
          from,
          to: [...to],
          ...content,
          ...(attachments && { attachments: [...attachments] }),
          headers: { 'X-Payin-Message': id },
          signal,
        })
        isHandedOver()
        return null
      } catch (error) {
        const hasAnswer = typeof (error as { responseCode?: unknown }).responseCode === 'number'
        return { reason: reasonOf(error), mayHaveArrived: isHandedOver() && !hasAnswer }
      }
    },
    close: () => {
      void opened?.then(
        ({ transport }) => transport.close(),
        () => undefined,
      )
    },
  }
}
