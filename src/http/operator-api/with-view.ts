import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { applyView, type ViewedList } from '../../domain/saved-view.ts'
import { getView } from '../../views/view.ts'

/** The query of a list with the filters of the view that it names. Refuses `resource_not_found`. */
export const withView = async <Query extends { readonly view?: string }>(
  context: Context,
  { operator }: FastifyRequest,
  list: ViewedList,
  { view, ...asked }: Query,
): Promise<Omit<Query, 'view'>> =>
  view === undefined ? asked : applyView(await getView(context, operator, list, view), asked, context.clock())
