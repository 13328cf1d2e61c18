import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../domain/refusal.ts'

/**
 * Refuses a form that another site has sent (403). The secret is the token in the address; this is a second line of
 * defence. Our own forms have `Origin: null`, because the page asks for no referrer (Fetch standard §3.2).
 */
export const refuseForeignForm = (request: FastifyRequest, publicUrl: string): void => {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isOwn =
    origin === undefined ||
    origin === 'null' ||
    origin === new URL(publicUrl).origin ||
    URL.parse(origin)?.host === request.host
  if (isOwn && (site === undefined || site === 'same-origin' || site === 'none')) return
  throw new Refusal('browser_not_allowed', 'The form was sent by another site.')
}
