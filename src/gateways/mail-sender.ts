import { second } from '../rules/time.ts'

export type Mail = {
  /** The same for every attempt at one message, so that a receiver can recognise it. */
  readonly id: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
}

/** Sends e-mails through the operator's server; never throws. */
export type MailSender = {
  /** Why the server did not accept the mail, or `null`. The reason contains no credentials. */
  send(mail: Mail): Promise<string | null>
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
    return { transport: createTransport({ url, ...times, ...guards }), hostname }
  }
  let opened: ReturnType<typeof open> | undefined
  return {
    send: async ({ id, to, subject, text }) => {
      try {
        const { transport, hostname } = await (opened ??= open())
        const messageId = `<${id}@${hostname}>`
        const signal = AbortSignal.timeout(mailMs)
        await transport.sendMail({
          messageId,
          from,
          to: [...to],
          subject,
          text,
          headers: { 'X-Payin-Message': id },
          signal,
        })
        return null
      } catch (error) {
        return reasonOf(error)
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
