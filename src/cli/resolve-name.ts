import type { NamedAnswer } from '../http/operator-api/search.ts'
import { Failure } from './failure.ts'
import type { Session } from './session.ts'

type Kind = NamedAnswer['kind']

/** The command that lists things of a kind. */
const lists: Readonly<Record<Kind, string>> = {
  merchant: 'payin merchants list',
  payment: 'payin payments list',
  requisite: 'payin requisites list',
  transfer: 'payin transfers list',
  outgoing: 'payin outgoing list',
  reversal: 'payin reversals list',
  dispute: 'payin disputes list',
  settlement: 'payin settlements list',
  adjustment: 'payin adjustments list',
  endpoint: 'payin endpoints list <merchant>',
  link: 'payin links list',
  token: 'payin tokens list <merchant>',
  statement: 'payin statements list',
  source: 'payin sources list',
  block: 'payin risk blocks',
  rule: 'payin risk limits',
}

/** Whether a text is an id with all its digits. */
export const isWholeId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** Where a name may be, if that was said. */
export type Within = { readonly merchantId?: string | undefined; readonly requisiteId?: string | undefined }

/** What a name means, as the service knows it; a failure names the command that lists what there is. */
export const resolveName = async (
  session: Session,
  kind: Kind,
  text: string,
  within: Within = {},
): Promise<NamedAnswer> => {
  try {
    return (await session.call<NamedAnswer>('GET /resolve', { kind, text, ...within })).body
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code } = error.problem
    if (code.endsWith('_not_found')) throw error.with({ hint: `${lists[kind]} shows what there is.` })
    if (code !== 'ambiguous') throw error
    const option = ['merchantId' in within && '--merchant', 'requisiteId' in within && '--requisite'].find(Boolean)
    throw error.with({
      detail: `"${text}" is the name of more than one ${kind}.`,
      hint: option ? `Give ${option}, or type one of these ids:` : 'Type one of these ids:',
    })
  }
}

/** The id of what a name means; a whole id is taken as it is. */
export const resolveId = async (session: Session, kind: Kind, text: string, within: Within = {}): Promise<string> =>
  isWholeId(text) ? text.toLowerCase() : (await resolveName(session, kind, text, within)).id
