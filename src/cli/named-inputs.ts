import type { Command } from 'commander'
import type { NamedAnswer } from '../operations/search.ts'
import { howToName, namedThings, type NamedKind } from '../operations/named.ts'
import { argument, type Input, option, resolved, resolvedBy } from './inputs.ts'
import { resolveId, resolveName, type Within } from './resolve-name.ts'
import type { Session } from './session.ts'
import { spanOfDay, type TypedDay } from '../rules/search/search-day.ts'
import type { Field } from '../operations/field.ts'
import { exactNumber, timeSpanOrDay } from './read-arguments.ts'

/** The id of what an input names, or of each. A name that several merchants use is of the one given before. */
export const resolvedId = <T extends string | readonly string[] | undefined>(
  input: Input<T>,
  kind: NamedKind,
): Input<T> =>
  resolved(input, (session, typed, { merchantId }) =>
    resolveId(session, kind, typed, namedThings[kind].of === 'merchant' ? { merchantId: merchantId as string } : {}),
  )

/** The key of a thing with an owner, and the amount after its name if such things have one: `order-42=1500.00`. */
export const resolveKey = async (session: Session, { of, fields = [] }: Field, typed: string, within?: Within) => {
  const [owner, key, amount] = fields.map(({ name }) => name)
  // An order may contain `=`, so only an amount after the last one counts.
  const [, name = typed, digits] = (amount && /^(.+)=([\d.]+)$/s.exec(typed)) || []
  const found = await resolveName(session, of as NamedKind, name.trim(), within)
  return {
    [owner as string]: found[owner as 'merchantId' | 'requisiteId'],
    [key as string]: found.id,
    ...(digits !== undefined && { amount: exactNumber(digits) }),
  }
}

/** The keys of what is named; payments are those of the merchant given before. */
export const resolvedKeys = (input: Input<readonly string[] | undefined>, field: Field): Input<object[] | undefined> =>
  resolved(input, (session, typed, { merchantId }) =>
    resolveKey(session, field, typed, merchantId === undefined ? {} : { merchantId: merchantId as string }),
  )

/** The option `--merchant` or `--requisite`, read as the id. */
const ownerOption =
  (kind: 'merchant' | 'requisite') =>
  (purpose = ''): Input<string | undefined> =>
    resolvedId(option(`--${kind} <${kind}>`, howToName(kind) + purpose), kind)

export const ofMerchant = ownerOption('merchant')
export const ofRequisite = ownerOption('requisite')

type Find<Found> = (session: Session, kind: NamedKind, typed: string, within: Within) => Promise<Found>

/** An argument that names something. An option names the owner, if several have something of this name. */
const namedArgument = <Found>(kind: NamedKind, find: Find<Found>): Input<Found> => ({
  flag: `<${kind}>`,
  declare: (command: Command) => {
    const typed = argument(`<${kind}>`, howToName(kind)).declare(command)
    const { of } = namedThings[kind]
    const owner = of && ownerOption(of)(', if several have this name').declare(command)
    return async (session, before) =>
      find(session, kind, await typed(session, before), of ? { [`${of}Id`]: await owner?.(session, before) } : {})
  },
})

/** An argument that names something; its value is the id. */
export const idArgument = (kind: NamedKind): Input<string> => namedArgument(kind, resolveId)

export const merchant = idArgument('merchant')

/** What a name names, with its owner. */
type Owned = Pick<NamedAnswer, 'id' | 'merchantId' | 'requisiteId'>

/** Two inputs of one name: the owner and the id of what it names, under these names in the request. */
const inTwo = <Owner extends string, Id extends string, T extends Owned | undefined>(
  input: Input<T>,
  kind: NamedKind,
  ownerName: Owner,
  idName: Id,
): Record<Owner | Id, Input<T extends undefined ? string | undefined : string>> => {
  const found = new WeakMap<Session, T & object>()
  const owner = resolvedBy(input, async (session, answer) => {
    if (answer !== undefined) found.set(session, answer)
    return answer?.[namedThings[kind].of === 'requisite' ? 'requisiteId' : 'merchantId']
  })
  const id = { ...owner, declare: () => (session: Session) => found.get(session)?.id }
  return { [ownerName]: owner, [idName]: id } as never
}

/** An argument that names something with its owner; `own` is how merchants find what is theirs. */
export const keyOf = <Owner extends string, Id extends string>(
  kind: NamedKind,
  ownerName: Owner,
  idName: Id,
  own?: (session: Session, typed: string) => string | Promise<string>,
) => {
  const find: Find<Owned> = async (session, of, typed, within) =>
    own && session.side() === 'merchant' ? { id: await own(session, typed) } : resolveName(session, of, typed, within)
  return inTwo(namedArgument(kind, find), kind, ownerName, idName)
}

/** An option that does. */
export const keyOption = (input: Input<string | undefined>, kind: NamedKind, ownerName: string, idName: string) =>
  inTwo<string, string, Owned | undefined>(
    resolved(input, (session, typed) => resolveName(session, kind, typed)),
    kind,
    ownerName,
    idName,
  )

/** `<payment>` as `merchantId` and, under the given name, its id. */
export const paymentAs = <Id extends string>(id: Id) => keyOf('payment', 'merchantId', id)

/** The same where merchants give the order. */
export const orderKey = keyOf('payment', 'merchantId', 'id', (_, typed) => typed)

export const disputeKey = keyOf('dispute', 'merchantId', 'id')

/** The instant that `timeSpanOrDay` has read; a day begins at midnight in the zone of the terminal. */
const instantOf = async (session: Session, typed: string | number | TypedDay): Promise<string> => {
  if (typeof typed === 'string') return typed
  const now = Date.parse(await session.now())
  const at = typeof typed === 'number' ? new Date(now - typed) : spanOfDay(typed, new Date(now)).from
  return at.toISOString()
}

/** An option that takes a time, a day in words, or a span before now. */
export const timeOrAgo = (flags: string, description: string): Input<string | undefined> =>
  resolvedBy(
    option(flags, `${description}: a time, a day such as yesterday, or how long ago, such as 24h`, timeSpanOrDay),
    async (session, typed) => (typed === undefined ? undefined : instantOf(session, typed)),
  )
