import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { minute } from '../../rules/time.ts'
import type { FormErrors } from './form-errors.ts'
import type { PageView } from './page-view.ts'

const isSecure = ({ settings }: Context): boolean => settings.publicUrl.startsWith('https:')

/**
 * Name of the cookie. Over https, its prefix keeps out one that was set over plain HTTP. The prefix `__Host-` would
 * require the path `/`, and the cookie would get to all pages.
 */
const nameOf = (context: Context): string => (isSecure(context) ? '__Secure-payin_form' : 'payin_form')

/** How long errors are kept: the redirect follows at once. */
const keptForMs = minute
/** Longest text of a field that is kept; browsers accept cookies of up to 4 kB. */
const longestText = 200

const locationOf = ({ payment }: PageView) => ({ table: 'page', column: 'form', row: payment.id })

// A page in a merchant's frame gets its cookie as a third party. Browsers allow that only with SameSite=None;
// Partitioned keeps the cookies apart for each merchant.
const attributesOf = (context: Context, view: PageView): string => {
  const isFramed = isSecure(context) && view.merchant.settings.frameHosts.length > 0
  const site = isFramed ? 'SameSite=None; Partitioned' : 'SameSite=Strict'
  return `Path=${view.path()}; HttpOnly; ${site}${isSecure(context) ? '; Secure' : ''}`
}

/**
 * Keeps what was wrong with a form, and what was written in it, for the page that its redirect leads to: sealed in a
 * cookie that only this page gets, for a minute. So personal data is neither in an address nor stored by the service.
 */
export const keepErrors = (context: Context, reply: FastifyReply, view: PageView, errors: FormErrors): void => {
  const shorten = (_: string, value: unknown) => (typeof value === 'string' ? value.slice(0, longestText) : value)
  const text = JSON.stringify({ at: context.clock(), errors }, shorten).toWellFormed()
  const sealed = context.vault.encrypt(text, locationOf(view))
  void reply.header(
    'set-cookie',
    `${nameOf(context)}=${sealed}; Max-Age=${keptForMs / 1000}; ${attributesOf(context, view)}`,
  )
}

/** The errors that `keepErrors` kept for this page, once. A cookie that is old or not ours counts as none. */
export const takeErrors = (
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  view: PageView,
): FormErrors => {
  const name = nameOf(context)
  const [, sealed] = new RegExp(`(?:^|; )${name}=([^;]*)`).exec(request.headers.cookie ?? '') ?? []
  if (sealed === undefined) return {}
  void reply.header('set-cookie', `${name}=; Max-Age=0; ${attributesOf(context, view)}`)
  try {
    const { at, errors } = JSON.parse(context.vault.decrypt(sealed, locationOf(view))) as {
      at: number
      errors: FormErrors
    }
    return context.clock() - at <= keptForMs ? errors : {}
  } catch {
    return {}
  }
}
