import type { Context, Tx } from '../../engine/context.ts'
import { type Destination, destinationStatus, printDestination } from '../../rules/money/destination.ts'
import {
  approveDestination,
  listDestinations,
  proposeDestination,
  retireDestination,
} from '../../engine/ledger/destinations/destinations.ts'
import { hasTwoPeople, refuseOnePerson } from '../../engine/members/refuse-one-person.ts'
import { findMerchant } from '../../engine/merchants/read.ts'
import { destinations } from '../../operations/destinations.ts'
import { wire } from '../../operations/fields.ts'
import { actOnBehalf, actOnNamed, actorOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { ownersOf, readPage } from '../routes/lists.ts'

const answerAt =
  ({ clock }: Context) =>
  (destination: Destination) => ({ ...destination, status: destinationStatus(destination, clock()) })

const detailsOf = (destination: Destination) => {
  const { requestedBy, proposedBy, readyAt } = destination
  return { destination: printDestination(destination), requestedBy, proposedBy, readyAt: readyAt && wire.time(readyAt) }
}

export const destinationRoutes = bindOperations(destinations.operations, {
  propose: async (context, request, reply) => {
    const wanted = { ...request.body, requestedBy: null, proposedBy: actorOf(request) }
    const propose = async (tx: Tx) => {
      await findMerchant(tx, wanted.merchantId)
      return proposeDestination(tx, wanted)
    }
    const { destination, created } = await actOnBehalf(context, request, propose, {
      action: 'destination.propose',
      subject: ({ destination: { merchantId, id } }) => `destination:${merchantId}/${id}`,
      details: (made) => ({ destination: printDestination(made.destination), created: made.created }),
    })
    reply.code(created ? 201 : 200)
    return answerAt(context)(destination)
  },
  approve: async (context, request) => {
    const actor = actorOf(request)
    const coolingHours = context.settings.destinationCoolingHours
    const approve = async (tx: Tx): Promise<Destination> => {
      const mayAlone = !(await hasTwoPeople(context, tx, ['account']))
      const destination = await approveDestination(tx, request.params, { actor, mayAlone, coolingHours })
      await refuseOnePerson(context, tx, destination.proposedBy ?? actor, actor)
      return destination
    }
    return answerAt(context)(await actOnNamed(context, request, 'destination.approve', approve, detailsOf))
  },
  retire: async (context, request) => {
    const retire = (tx: Tx) => retireDestination(tx, request.params, actorOf(request))
    return answerAt(context)(await actOnNamed(context, request, 'destination.retire', retire, detailsOf))
  },
  list: (context, { query }) =>
    readPage(
      'destinations',
      query,
      (span) => listDestinations(context, { ...ownersOf(query), ...span }),
      answerAt(context),
    ),
})
