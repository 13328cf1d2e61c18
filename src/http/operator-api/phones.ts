import { banks, type Origins } from 'bank-messages'
import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { acceptMessage, dismissMessage } from '../../engine/phones/decide-message.ts'
import {
  addPhone,
  approvePhone,
  getPhone,
  listPhones,
  renewPhoneSecret,
  setPhoneState,
  updatePhone,
  unapprovedOfPhone,
  type Phone,
} from '../../engine/phones/phones.ts'
import { countWaiting, getMessage, listMessages } from '../../engine/phones/read.ts'
import { messageReader } from '../../engine/phones/templates/message-reader.ts'
import { scannedBy, stepsOf } from '../../operations/phone-steps.ts'
import { type PhoneSecret, phones } from '../../operations/phones.ts'
import type { PhoneRequisite } from '../../rules/phones/phone.ts'
import { refuseField } from '../../rules/refusal.ts'
import { actOnBehalf, actOnNamed, actorOf, loneActor, secondOf } from '../access/act-on-behalf.ts'
import { loneOfPhone } from '../access/lone-phone.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readPage } from '../routes/lists.ts'

const toAnswer = ({ requisites, ...phone }: Phone, waiting: number) => ({
  ...phone,
  state: phone.state === 'paused' ? ('paused' as const) : ('active' as const),
  requisiteIds: requisites.map(({ requisiteId }) => requisiteId),
  accounts: requisites,
  balances: phone.checksBalance ? ('checked' as const) : ('ignored' as const),
  unapproved: unapprovedOfPhone({ ...phone, requisites }),
  waiting,
})

const answerPhone = async (context: Context, id: string) =>
  toAnswer(await getPhone(context, id), (await countWaiting(context)).get(id) ?? 0)

const messageAnswerer = async (context: Context) => {
  const names = new Map((await listPhones(context)).map(({ id, name }) => [id, name]))
  return ({ gap: missing, ...row }: Awaited<ReturnType<typeof getMessage>>) => ({
    ...row,
    phoneName: names.get(row.phoneId),
    ...(row.currency === null ? { amount: null, balance: null, missing: null } : { missing }),
  })
}

const answerMessage = async (context: Context, id: string) =>
  (await messageAnswerer(context))(await getMessage(context, id))

const secretOf = async (context: Context, id: string, secret: string): Promise<PhoneSecret> => {
  const { app } = await getPhone(context, id)
  const address = `${context.settings.publicUrl.replace(/\/$/, '')}/api/v1/phones/${id}`
  const access = { address, secret }
  return { id, ...access, steps: stepsOf(app, access), scanned: scannedBy(app, access) }
}

const nothingKnown = (requisiteId: string): PhoneRequisite => ({ requisiteId, digits: [], sim: null })

/** A change of a phone by its operator. */
const change = async (
  context: Context,
  request: FastifyRequest,
  id: string,
  wanted: Partial<Pick<Phone, 'dailyLimit' | 'checksBalance' | 'silentMinutes'>> & {
    readonly requisites?: (before: Phone['requisites']) => Phone['requisites']
  },
  details: object,
) => {
  const update = async (tx: Tx): Promise<void> =>
    updatePhone(tx, id, { ...wanted, changedBy: await loneActor(context, request, tx) })
  await actOnNamed(context, request, 'phone.update', update, { ...details })
  return answerPhone(context, id)
}

const setState = async (
  context: Context,
  request: FastifyRequest<{ Params: { id: string } }>,
  state: Phone['state'],
) => {
  const { id } = request.params
  await actOnNamed(context, request, `phone.${state}`, (tx) => setPhoneState(tx, id, state))
  return answerPhone(context, id)
}

const sayOrigins = (origins: Origins = []): string =>
  typeof origins === 'string' ? origins : origins.join(', ') || 'none'

export const phoneNounRoutes = bindOperations(phones.operations, {
  add: async (context, request) => {
    const { name, app, requisiteIds, dailyLimit = 100, balances = 'checked', silentMinutes = null } = request.body
    const checksBalance = balances === 'checked'
    const requisites = [...new Set(requisiteIds)].map(nothingKnown)
    const wanted = { name, app, requisites, dailyLimit: BigInt(dailyLimit), checksBalance, silentMinutes }
    const add = async (tx: Tx) => addPhone(tx, { ...wanted, changedBy: await loneActor(context, request, tx) })
    const { id, secret } = await actOnBehalf(context, request, add, {
      action: 'phone.add',
      subject: (added) => `phone:${added.id}`,
      details: { ...wanted },
    })
    return secretOf(context, id, secret)
  },
  list: async (context) => {
    const waiting = await countWaiting(context)
    return { phones: (await listPhones(context)).map((phone) => toAnswer(phone, waiting.get(phone.id) ?? 0)) }
  },
  update: async (context, request) => {
    const { requisiteIds, dailyLimit, balances, silentMinutes } = request.body
    const wanted = {
      ...(requisiteIds && {
        requisites: (before: Phone['requisites']) =>
          [...new Set(requisiteIds)].map(
            (id) => before.find(({ requisiteId }) => requisiteId === id) ?? nothingKnown(id),
          ),
      }),
      ...(dailyLimit !== undefined && { dailyLimit: BigInt(dailyLimit) }),
      ...(balances !== undefined && { checksBalance: balances === 'checked' }),
      ...(silentMinutes !== undefined && { silentMinutes }),
    }
    return change(context, request, request.params.id, wanted, request.body)
  },
  account: async (context, request) => {
    const { requisiteId, digits = [], sim = null, dailyLimit } = request.body
    const known = { requisiteId, digits, sim }
    const requisites = (before: Phone['requisites']): Phone['requisites'] => {
      const own = before.find((each) => each.requisiteId === requisiteId)
      if (!own) throw refuseField('requisiteId', 'is not a requisite of the phone.')
      const limit = dailyLimit ?? own.dailyLimit
      return before.map((each) =>
        each === own ? { ...known, ...(limit !== undefined && { dailyLimit: limit }) } : each,
      )
    }
    return change(context, request, request.params.id, { requisites }, request.body)
  },
  rotate: async (context, request) => {
    const { id } = request.params
    const renew = async (tx: Tx) => renewPhoneSecret(tx, id, await loneActor(context, request, tx))
    const detailsOf = (secret: string) => ({ prefix: secret.slice(0, 17) })
    return secretOf(context, id, await actOnNamed(context, request, 'phone.secret', renew, detailsOf))
  },
  approve: async (context, request) => {
    const { id } = request.params
    const { version } = request.body
    const approve = (tx: Tx) => approvePhone(tx, id, version, secondOf(context, request))
    await actOnNamed(context, request, 'phone.approve', approve)
    return answerPhone(context, id)
  },
  pause: (context, request) => setState(context, request, 'paused'),
  resume: (context, request) => setState(context, request, 'active'),
  remove: (context, request) => setState(context, request, 'removed'),
  banks: () => ({
    banks: banks.map(({ bank, country, senders, packages }) => ({
      ...{ bank, country },
      senders: sayOrigins(senders),
      packages: sayOrigins(packages),
    })),
  }),
  messages: async (context, { query }) => {
    const { phoneId = null, open } = query
    const filter = { phoneId, open: open === 'true' }
    const toAnswerOf = await messageAnswerer(context)
    return readPage('messages', query, (span) => listMessages(context, { ...filter, ...span }), toAnswerOf)
  },
  accept: async (context, request) => {
    const { messageId } = request.params
    const { requisiteId } = request.body
    const read = await context.catalog.get(messageReader)
    const accepting = { actor: actorOf(request), requisiteId, findLone: loneOfPhone(context), read }
    await actOnNamed(context, request, 'phone-message.accept', (tx) => acceptMessage(tx, messageId, accepting))
    return answerMessage(context, messageId)
  },
  dismiss: async (context, request) => {
    const { messageId } = request.params
    const dismiss = (tx: Tx) => dismissMessage(tx, messageId, actorOf(request))
    await actOnNamed(context, request, 'phone-message.dismiss', dismiss)
    return answerMessage(context, messageId)
  },
})
