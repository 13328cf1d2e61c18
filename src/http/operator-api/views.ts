import { type Static, Type } from '../schema.ts'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { type ViewedList, viewedLists, type ViewFilters, withinPattern } from '../../domain/saved-view.ts'
import { deleteView, listViews, saveView } from '../../views/view.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { Time, wire } from '../fields.ts'
import { routesForOperators } from '../routes.ts'
import { PaymentFilterQuery } from './payments.ts'
import { TransferFilterQuery } from './transfers.ts'
import { withoutPage } from '../lists.ts'

const filterNames = ['within', ...Object.keys({ ...PaymentFilterQuery, ...TransferFilterQuery })].filter(
  (name) => !['view', 'cursor', 'limit', 'count'].includes(name),
)
const Filters = Type.Object(Object.fromEntries(filterNames.map((name) => [name, Type.Optional(Type.String())])), {
  title: 'ViewFilters',
  examples: [{ within: '7d', status: 'disput', currency: 'rub' }],
  description: 'As in the query of the list.',
})

const View = Type.Titled('View', {
  list: Type.OneOf(viewedLists),
  name: Type.String(),
  filters: Filters,
  savedAt: Time,
})

/** A saved view. */
export type View = Static<typeof View>

const ViewsAnswer = { views: Type.Array(View, { description: "The caller's own, by list and name." }) }
const ViewName = Type.Printable(60, 'Name of one of your views; each operator has their own.')

const within = {
  within: Type.Optional(
    Type.Pattern('must be a number of minutes, hours or days, such as 24h.', {
      pattern: withinPattern,
      description: 'Created this long ago or later, counted from the time of each request; replaces `from`.',
    }),
  ),
}

const answer = async (context: Context, { operator }: FastifyRequest): Promise<{ views: View[] }> => ({
  views: (await listViews(context, operator)).map(({ savedAt, ...view }) => ({ ...view, savedAt: wire.time(savedAt) })),
})

const save = async (
  context: Context,
  request: FastifyRequest,
  view: { readonly list: ViewedList; readonly name: string; readonly filters: ViewFilters },
) => {
  const act = { action: 'view.save', subject: `view:${view.list}`, details: view }
  await actOnBehalf(context, request, (tx) => saveView(tx, request.operator, view), act)
  return answer(context, request)
}

const filtersOf = <Query extends typeof PaymentFilterQuery | typeof TransferFilterQuery>(query: Query) => {
  const { view: _, ...filters } = withoutPage(query)
  return Type.Exact({ ...filters, ...within })
}

/** Views: filters of lists, saved under a name. */
export const viewRoutes = routesForOperators()

viewRoutes.get('/views', 'read', {
  id: 'listViews',
  summary: 'List the views that you have saved',
  description: 'Views belong to the operator who has saved them.',
  answer: ViewsAnswer,
  exports: 'views',
  handle: answer,
})

viewRoutes.put('/views/payments/:name', 'read', {
  id: 'savePaymentView',
  summary: 'Save filters of the list of payments under a name, replacing a view of that name',
  description: 'Use the name as `view` in the list of payments.',
  params: { name: ViewName },
  body: { filters: filtersOf(PaymentFilterQuery) },
  answer: ViewsAnswer,
  refusals: ['invalid_state'],
  handle: (context, request) =>
    save(context, request, { list: 'payments', name: request.params.name, filters: request.body.filters }),
})

viewRoutes.put('/views/transfers/:name', 'read', {
  id: 'saveTransferView',
  summary: 'Save filters of the list of transfers under a name, replacing a view of that name',
  description: 'Use the name as `view` in the list of transfers.',
  params: { name: ViewName },
  body: { filters: filtersOf(TransferFilterQuery) },
  answer: ViewsAnswer,
  refusals: ['invalid_state'],
  handle: (context, request) =>
    save(context, request, { list: 'transfers', name: request.params.name, filters: request.body.filters }),
})

viewRoutes.delete('/views/:list/:name', 'read', {
  id: 'deleteView',
  summary: 'Delete one of your views',
  description: 'The rows that it showed do not change.',
  params: { list: Type.OneOf(viewedLists, 'The list that the view belongs to.'), name: ViewName },
  answer: ViewsAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { list, name } = request.params
    const act = { action: 'view.delete', subject: `view:${list}`, details: { name } }
    await actOnBehalf(context, request, (tx) => deleteView(tx, request.operator, list, name), act)
    return answer(context, request)
  },
})
