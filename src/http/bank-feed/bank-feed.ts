import { type Static, presented, Type } from '../../operations/schema.ts'
import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { feedChannel } from '../../rules/transfers/channel.ts'
import { Refusal } from '../../rules/refusal.ts'
import { minute } from '../../rules/time.ts'
import { actAudited } from '../../engine/audit/record-acts.ts'
import { asLoneReport } from '../../engine/members/refuse-one-person.ts'
import { isPushSigned } from '../../secrets/request-signatures.ts'
import { findPusher, type Source } from '../../engine/statements/sources/sources.ts'
import { type PushedResult, type PushedTransfer, pushStates, recordPush } from '../../engine/statements/record-push.ts'
import type { LoneReport } from '../../rules/money/settlement.ts'
import { maxTransfersAtOnce } from '../../engine/transfers/record-transfers.ts'
import { refuseBrowser } from '../access/auth.ts'
import { takeReporterTurns } from '../access/take-turns.ts'
import { parseJsonBody } from '../routes/json-body.ts'
import { Id, amountRefusals } from '../../operations/fields.ts'
import { reportedMoney, reportedSender } from '../../operations/transfers.ts'
import { readBody } from '../routes/read-body.ts'
import { readReported } from '../routes/read-reported.ts'
import { routesForAll } from '../routes/routes.ts'

/** How far the clock of a source may be from ours. */
const maxSkewMs = 5 * minute

const Pushed = Type.TitledExact('PushedTransfer', {
  'requisiteId?': presented(Id, 'May be omitted if the source has only one requisite.'),
  ...reportedMoney,
  bankReference: Type.Printable(140, {
    description: "The bank's own identifier, the same in every push.",
    examples: ['A1B2C3D4E5'],
  }),
  'status?': Type.OneOf(['booked', 'pending', 'reversed'], 'Pending money is ignored. Default: `booked`.'),
  ...reportedSender,
})

const unsigned = (): Refusal =>
  new Refusal(
    'signature_invalid',
    'The push is not signed with the key of its source, or its time differs from ours by more than five minutes.',
  )

const header = (request: FastifyRequest, name: string): string => {
  const value = request.headers[name]
  return typeof value === 'string' ? value : ''
}

/** The source that signed a push. The refusal is the same whatever is wrong, so it reveals nothing about sources. */
const authenticate = async (context: Context, request: FastifyRequest, body: unknown): Promise<Source> => {
  refuseBrowser(request)
  const { id } = request.params as { id: string }
  const timestamp = header(request, 'payin-timestamp')
  const [, signature] = /^v1=([0-9a-f]{64})$/.exec(header(request, 'payin-signature')) ?? []
  const isTimely = /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1000 - context.clock()) <= maxSkewMs
  if (!isTimely || signature === undefined || !Buffer.isBuffer(body)) throw unsigned()
  const found = await findPusher(context, id)
  if (!found || !isPushSigned(found.key, timestamp, body, signature)) throw unsigned()
  return found.source
}

/** Reads the transfers of a push; refuses `validation_failed` with every wrong field. */
const readPush = (context: Context, source: Source, transfers: readonly Static<typeof Pushed>[]): PushedTransfer[] => {
  const now = context.clock()
  const [only = '', ...others] = source.requisiteIds
  return readBody((read) =>
    transfers.map((transfer, index): PushedTransfer => {
      const field = `transfers.${index}`
      const reported = readReported(read, transfer, field, now)
      const requisiteId = transfer.requisiteId ?? only
      if (transfer.requisiteId === undefined && others.length > 0)
        read.wrong(`${field}.requisiteId`, 'is required: the source has several requisites.')
      else if (!source.requisiteIds.includes(requisiteId))
        read.wrong(`${field}.requisiteId`, 'is not a requisite of this source.')
      return {
        ...{ ...reported, requisiteId },
        source: `feed:${source.id}`,
        channel: feedChannel(source.id),
        referenceKind: `feed:${source.id}`,
        bankReference: transfer.bankReference,
        status: transfer.status ?? 'booked',
      }
    }),
  )
}

const sources = new WeakMap<FastifyRequest, Source>()

/** Pushes stand on the word of whoever alone made their key, until another operator approves it. */
const loneReportOf = async (context: Context, tx: Tx, { changedBy }: Source): Promise<LoneReport | null> =>
  changedBy === null ? null : asLoneReport(context, tx, changedBy)

/** Pushes of a bank, or of a system in between: signed by a source, and for its own requisites only. */
export const bankFeedRoute = routesForAll('feeds', 'feed', (scope, context) => {
  // The signature covers the bytes, so they are parsed only after it has been checked.
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  scope.addHook('preValidation', async (request) => {
    sources.set(request, await authenticate(context, request, request.body))
    request.body = parseJsonBody(request.body as Buffer)
  })
  takeReporterTurns(scope, (request) => sources.get(request))
}).post('/:id/transfers', null, {
  id: 'pushTransfers',
  summary: 'Push incoming transfers',
  description:
    'Records all transfers or none. Sign the request with the headers `payin-timestamp` (seconds since 1970, at most five minutes from our time) and `payin-signature`. Repeating a push changes nothing. After `503 overloaded`, which is also sent while a statement that reported one of the transfers is being withdrawn, nothing was recorded: send the push again after `Retry-After`.',
  bodyLimit: 1024 * 1024,
  body: { transfers: Type.Array(Pushed, { minItems: 1, maxItems: maxTransfersAtOnce }) },
  answer: {
    transfers: Type.Array(
      Type.Object({
        bankReference: Type.String({ examples: ['A1B2C3D4E5'] }),
        state: Type.OneOf(
          pushStates,
          '`already-known`: nothing changed. `waiting`: a reversal whose transfer is unknown or ambiguous, or whose key nobody has approved; an operator assigns it. `pending` money is ignored, and so is `before-opening` money: it was booked before the opening balance of its account, which includes it.',
        ),
        'id?': Id,
      }),
    ),
  },
  refusals: [...amountRefusals],
  handle: async (context, request) => {
    const source = sources.get(request)
    if (!source) throw unsigned()
    const pushed = readPush(context, source, request.body.transfers)
    const results = await actAudited<PushedResult[]>(
      context,
      async (tx) => recordPush(tx, source.id, pushed, await loneReportOf(context, tx, source)),
      (rows) => ({
        actor: `source:${source.id}`,
        action: 'transfers.push',
        subject: `source:${source.id}`,
        details: { transfers: rows.map(({ id, state }) => ({ id, state })) },
      }),
    )
    return {
      transfers: results.map((result, index) => ({ ...result, bankReference: pushed[index]?.bankReference ?? '' })),
    }
  },
})
