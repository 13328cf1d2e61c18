import { type Static, Type } from '../schema.ts'
import type { Context, Tx } from '../../engine/context.ts'
import {
  type Destination,
  destinationRules,
  destinationStatus,
  printDestination,
} from '../../rules/money/destination.ts'
import {
  approveDestination,
  listDestinations,
  proposeDestination,
  retireDestination,
} from '../../engine/ledger/destinations/destinations.ts'
import { hasTwoPeople } from '../../engine/members/has-two-people.ts'
import { refuseOnePerson } from '../../engine/members/refuse-one-person.ts'
import { findMerchant } from '../../engine/merchants/read.ts'
import { actOnBehalf, actorOf, type RequestedAct } from '../act-on-behalf.ts'
import { DestinationDetails, DestinationKind } from '../destination-details.ts'
import { Id, NoBody, wire } from '../fields.ts'
import { OwnerQuery, ownersOf, pageOf, PageQuery, readPage } from '../lists.ts'
import { routesForOperators } from '../routes.ts'
import { MerchantAndId, ofMerchant } from './operator-fields.ts'

const DestinationAnswer = Type.Titled('OperatorDestination', {
  ...ofMerchant,
  ...DestinationDetails.properties,
  proposedBy: Type.String({ examples: ['operator:anna'] }),
  approvedBy: Type.Optional(Type.String({ examples: ['operator:boris'] })),
  retiredBy: Type.Optional(Type.String({ examples: ['operator:anna'] })),
})

/** A destination as operators see it. */
export type DestinationAnswer = Static<typeof DestinationAnswer>

const answerAt =
  ({ clock }: Context) =>
  (destination: Destination): DestinationAnswer =>
    wire.fields({ ...destination, status: destinationStatus(destination, clock()) })

const subjectOf = ({ merchantId, id }: Destination): string => `destination:${merchantId}/${id}`

const actOf = (verb: string): RequestedAct<Destination> => ({
  action: `destination.${verb}`,
  subject: subjectOf,
  details: (destination) => {
    const { proposedBy, readyAt } = destination
    return { destination: printDestination(destination), proposedBy, readyAt: readyAt && wire.time(readyAt) }
  },
})

/** Where settlements may be sent. */
export const destinationRoutes = routesForOperators()

destinationRoutes.post('/destinations', 'account', {
  id: 'proposeDestination',
  summary: 'Propose where settlements of a merchant may be sent',
  description:
    'An address with a right checksum or right check digits. If the installation has two people who may do this, another one must approve it. It is never changed: another address is another destination. Returns 201, or 200 if it is already known.',
  body: {
    merchantId: Id,
    kind: DestinationKind,
    address: Type.Printable(200, {
      description: `With its checksum or check digits. ${Object.entries(destinationRules)
        .map(([kind, { example }]) => `\`${kind}\`: \`${example}\``)
        .join('; ')}.`,
      examples: [destinationRules.tron.example],
    }),
    label: Type.Printable(100, { description: 'How you call it.', examples: ['Main wallet'] }),
  },
  answers: { 200: DestinationAnswer, 201: DestinationAnswer },
  refusals: ['already_exists', 'resource_not_found'],
  handle: async (context, request, reply) => {
    const wanted = { ...request.body, proposedBy: actorOf(request) }
    const propose = async (tx: Tx) => {
      await findMerchant(tx, wanted.merchantId)
      return proposeDestination(tx, wanted)
    }
    const { destination, created } = await actOnBehalf(context, request, propose, {
      action: 'destination.propose',
      subject: (made) => subjectOf(made.destination),
      details: (made) => ({ destination: printDestination(made.destination), created: made.created }),
    })
    return reply.code(created ? 201 : 200).send(answerAt(context)(destination))
  },
})

const path = '/destinations/:merchantId/:id'

destinationRoutes.post(`${path}/approve`, 'account', {
  id: 'approveDestination',
  summary: 'Approve a destination',
  description:
    'By an operator other than its author, if the installation has two people who may do this. An account and a token do not count as two people, nor does a new account or one that was just reset, nor one that the other operator invited or reset. Settlements may be sent there from `readyAt` on (`PAYIN_DESTINATION_COOLING_HOURS`).',
  params: MerchantAndId,
  body: NoBody,
  answer: DestinationAnswer,
  refusals: ['invalid_state', 'resource_not_found', 'second_person_required'],
  handle: async (context, request) => {
    const actor = actorOf(request)
    const coolingHours = context.settings.destinationCoolingHours
    const approve = async (tx: Tx): Promise<Destination> => {
      const mayAlone = !(await hasTwoPeople(context, tx, ['account']))
      const destination = await approveDestination(tx, request.params, { actor, mayAlone, coolingHours })
      await refuseOnePerson(context, tx, destination.proposedBy, actor)
      return destination
    }
    return answerAt(context)(await actOnBehalf(context, request, approve, actOf('approve')))
  },
})

destinationRoutes.post(`${path}/retire`, 'account', {
  id: 'retireDestination',
  summary: 'Retire a destination',
  description: 'At once and for good, also a proposed one. Settlements to it that are not paid yet can only be failed.',
  params: MerchantAndId,
  body: NoBody,
  answer: DestinationAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const retire = (tx: Tx) => retireDestination(tx, request.params, actorOf(request))
    return answerAt(context)(await actOnBehalf(context, request, retire, actOf('retire')))
  },
})

destinationRoutes.get('/destinations', 'read', {
  id: 'listAllDestinations',
  summary: 'List destinations of all merchants of a mode, or of one merchant',
  description: 'Newest first.',
  query: { ...OwnerQuery, ...PageQuery },
  answer: pageOf('destinations', DestinationAnswer),
  exports: 'destinations',
  handle: (context, { query }) =>
    readPage(
      'destinations',
      query,
      (span) => listDestinations(context, { ...ownersOf(query), ...span }),
      answerAt(context),
    ),
})
