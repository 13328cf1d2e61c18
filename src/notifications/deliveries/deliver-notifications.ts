import type { Context } from '../../context.ts'
import { type Courier, openCourier } from './open-courier.ts'

const couriers = new WeakMap<Context, Courier>()

/** Delivers what is due from this process, a round at a time; returns 0 when nothing is due or under way. */
export const deliverNotifications = (context: Context): Promise<number> => {
  const courier = couriers.get(context) ?? openCourier(context)
  couriers.set(context, courier)
  return courier.round()
}

/** Stops delivering in this process, so that another one takes over at once. */
export const stopDelivering = async (context: Context): Promise<void> => {
  await couriers.get(context)?.stop()
  couriers.delete(context)
}
