import type { Context } from '../context.ts'
import type { Requisite, RequisiteUsage } from '../domain/requisite.ts'
import { readUsage } from './start-allocation.ts'

/** What requisites carry now, by their ids, whether they have limits or not; those that carry nothing are left out. */
export const getUsage = (context: Context, requisites: readonly Requisite[]): Promise<Map<string, RequisiteUsage>> =>
  readUsage(context, requisites, context.clock())
