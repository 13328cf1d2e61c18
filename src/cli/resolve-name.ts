import { isId, isInSpan, readTypedName } from '../rules/values/id-text.ts'
import type { NamedAnswer } from '../operations/search.ts'
import { namedThings, type NamedKind } from '../operations/named.ts'
import { Failure } from './failure.ts'
import type { Session } from './session.ts'

/** Whether a text is a whole id. */
export const isWholeId = (text: string): boolean => isId(text.toLowerCase())

/** The owner of what is named, if known. */
export type Within = { readonly merchantId?: string | undefined; readonly requisiteId?: string | undefined }

/** Asks the service what a name means; a failure names the command that lists what there is. */
export const resolveName = async (
  session: Session,
  kind: NamedKind,
  text: string,
  within: Within = {},
): Promise<NamedAnswer> => {
  try {
    return (await session.call<NamedAnswer>('GET /resolve', { kind, text, ...within })).body
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code } = error.problem
    if (code.endsWith('_not_found')) throw error.with({ hint: `${namedThings[kind].listedBy} shows what there is.` })
    if (code !== 'ambiguous') throw error
    const option = ['merchantId' in within && '--merchant', 'requisiteId' in within && '--requisite'].find(Boolean)
    throw error.with({
      detail: `"${text}" is the name of more than one ${kind}.`,
      hint: option ? `Give ${option}, or type one of these ids:` : 'Type one of these ids:',
    })
  }
}

/** The id of what a name means; a whole id needs no request. */
export const resolveId = async (
  session: Session,
  kind: NamedKind,
  text: string,
  within: Within = {},
): Promise<string> => (isWholeId(text) ? text.toLowerCase() : (await resolveName(session, kind, text, within)).id)

/** An item of a short list: its id, its names, and a text that distinguishes it from others with the same name. */
export type Listed = { readonly id: string; readonly names: readonly string[]; readonly about: string }

const mostShown = 10

/**
 * The id of the listed item that a text means: by its id or the beginning of it, by a name, or `last` for the first one
 * (lists have the newest first). Refuses unknown and ambiguous texts; the refusal lists the candidates.
 */
export const pickListed = (
  listed: readonly Listed[],
  typed: string,
  what: { readonly kind: string; readonly shownBy: string },
): string => {
  const name = typed.toLowerCase()
  const wanted = readTypedName(typed)
  const named = listed.filter(({ names }) => names.some((each) => each.toLowerCase() === name))
  const meant = named.length > 0 ? named : listed.filter(({ id }) => isInSpan(id, wanted))
  const found = meant.length === 0 && name === 'last' ? listed.slice(0, 1) : meant
  const [only, ...others] = found
  if (only && others.length === 0) return only.id
  const candidates = (only ? found : listed).slice(0, mostShown).map(({ id, about }) => ({ id, about }))
  if (only) {
    throw new Failure({
      code: 'ambiguous',
      detail: `"${typed}" is the name of more than one ${what.kind}.`,
      hint: 'Type one of these ids:',
      candidates,
    })
  }
  throw new Failure({
    code: 'resource_not_found',
    detail: `There is no ${what.kind} "${typed}".`,
    hint: `${what.shownBy} shows what there is.`,
    candidates,
  })
}
