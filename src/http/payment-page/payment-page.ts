import formbody from '@fastify/formbody'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { simulatedEvents } from '../../domain/simulation.ts'
import { claimPayment } from '../../payments/claim-payment.ts'
import { collectPayer } from '../../payments/collect-payer.ts'
import { simulatePayment } from '../../sandbox/simulate-payment.ts'
import type { App } from '../app.ts'
import { refusalStatus, toRefusal } from '../errors.ts'
import { chooseLocale } from './choose-locale.ts'
import { type Page, renderDocument } from './layout.ts'
import { servePageAssets } from './page-assets.ts'
import { basePath, openPage, type PageAddress, pageTag, type PageView } from './page-view.ts'
import { readPayer } from './read-payer.ts'
import { refuseForeignForm } from './refuse-foreign-form.ts'
import { showPage } from './show-page.ts'
import { showProblem } from './show-problem.ts'

/** Largest form in bytes. */
const maxFormBytes = 4096

const contentPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

type PageRequest = FastifyRequest<{ Params: PageAddress }>
type Form = Readonly<Record<string, unknown>>

const wordOf = (form: Form, name: string): string => {
  const value = form[name]
  return typeof value === 'string' ? value : ''
}

/** The payer's page (experience §3): shows a payment by its checkout token and takes the payer's forms. */
export const registerPaymentPage = async (app: App, context: Context): Promise<void> => {
  const base = basePath(context)
  const served = servePageAssets(app)
  const assets = { style: base + served.style, script: base + served.script }

  const send = (reply: FastifyReply, status: number, page: Page): FastifyReply =>
    reply.code(status).type('text/html; charset=utf-8').send(renderDocument(page, assets))

  const open = (request: PageRequest): Promise<PageView> =>
    openPage(context, request.params, request.headers['accept-language'])

  app.removeAllContentTypeParsers()
  await app.register(formbody, { bodyLimit: maxFormBytes })
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({
      'content-security-policy': contentPolicy,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
    })
    if (request.method === 'POST') refuseForeignForm(request, context.settings.publicUrl)
  })
  app.setErrorHandler((error, request: PageRequest, reply) => {
    const refusal = toRefusal(error)
    const [status] = refusalStatus[refusal.code]
    if (refusal.code === 'internal_error') request.log.error({ err: error, requestId: request.id }, 'internal error')
    const { retryAfterSeconds } = refusal.details
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds)
    const locale = chooseLocale(request.params.locale, null, request.headers['accept-language'])
    return send(reply, status, showProblem(locale, status))
  })

  const show = async (request: PageRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const view = await open(request)
    // The script asks with the tag that it shows; a browser never does, because nothing of the page is stored.
    if (request.headers['if-none-match'] === pageTag(view)) return reply.code(304).send()
    return send(reply, 200, showPage(view))
  }

  const takeDetails = async (request: PageRequest, reply: FastifyReply, form: Form): Promise<FastifyReply> => {
    const view = await open(request)
    const payer = readPayer(form, view.country, (code) => view.banks.some((bank) => bank.code === code))
    if (view.state === 'details' && !payer) {
      return send(reply, 422, showPage(view, { phone: wordOf(form, 'phone'), bank: wordOf(form, 'bank') }))
    }
    if (payer) await collectPayer(context, view.payment.merchantId, view.payment.id, payer)
    return reply.redirect(view.path(), 303)
  }

  const takeClaim = async (request: PageRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const view = await open(request)
    if (view.state === 'pay') await claimPayment(context, view.payment.merchantId, view.payment.id)
    return reply.redirect(view.path(), 303)
  }

  const takeSimulation = async (request: PageRequest, reply: FastifyReply, form: Form): Promise<FastifyReply> => {
    const view = await open(request)
    if (view.merchant.mode !== 'sandbox') throw new Refusal('route_not_found', 'Only sandbox payments are simulated.')
    const event = simulatedEvents.find((each) => each === form['event'])
    if (!event) throw new Refusal('validation_failed', 'There is no such event.')
    await simulatePayment(context, view.payment, { event, amount: undefined, delayMs: 0 })
    return reply.redirect(view.path(), 303)
  }

  const forms = { details: takeDetails, claim: takeClaim, simulate: takeSimulation }
  const options = { schema: { hide: true } }
  for (const address of ['/:token/payment-sbp', '/:locale/:token/payment-sbp']) {
    app.get<{ Params: PageAddress }>(address, options, show)
    for (const [name, take] of Object.entries(forms)) {
      app.post<{ Params: PageAddress; Body: Form | undefined }>(`${address}/${name}`, options, (request, reply) =>
        take(request, reply, request.body ?? {}),
      )
      // Where a form was answered in place, the browser's address is the form's: reloading it leads back to the page.
      app.get<{ Params: PageAddress }>(`${address}/${name}`, options, async (request, reply) =>
        reply.redirect((await open(request)).path(), 303),
      )
    }
  }
}
