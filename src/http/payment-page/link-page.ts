import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { fastMethod, type PaymentMethod } from '../../rules/values/payment-method.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { readTypedAmount } from '../../rules/payments/typed-amount.ts'
import { linkMethods, linkUrl } from '../../engine/links/read.ts'
import { type Started, startLinkPayment } from '../../engine/links/start-link-payment.ts'
import { formVisit } from '../../secrets/one-time-token.ts'
import { addressGroup } from '../access/address-group.ts'
import type { App } from '../routes/app.ts'
import { showLanguages, type HtmlPage } from './layout.ts'
import { type LinkAddress, type LinkView, openLink } from './link-view.ts'
import { type CheckLimits, refuseForeignForm } from './page-limits.ts'
import { pagePath } from './page-view.ts'
import { qrImage } from './qr-image.ts'
import { type LinkForm, type LinkStop, showLinkForm, showLinkStop } from './show-link.ts'

type LinkRequest = FastifyRequest<{ Params: LinkAddress }>

/** What the pages of links share with those of payments. */
export type LinkPageTools = {
  readonly context: Context
  readonly send: (reply: FastifyReply, status: number, page: HtmlPage, view: LinkView) => FastifyReply
  readonly checkLimits: CheckLimits
  readonly headers: Readonly<Record<string, string>>
}

const isVisit = /^[\w-]{22}$/

/** HTTP status of the response if no payment can be started. */
const statusOf = { 'used-up': 410, ended: 410, closed: 410, unavailable: 409, busy: 409, limited: 429 } as const

/** Why a link has no form at the moment, as far as that is known before a payer sends one; undefined if it has one. */
const stopOf = ({ link, merchant, bounds }: LinkView, now: number): LinkStop | undefined => {
  if (link.state !== 'open') return { kind: link.state }
  if (merchant.status === 'suspended') return { kind: 'closed' }
  if (bounds.min > bounds.max) return { kind: 'unavailable' }
  if (link.maxUses === null || link.paid + link.underWay < link.maxUses) return undefined
  return { kind: 'busy', seconds: link.freeAt === null ? undefined : (link.freeAt - now) / 1000 }
}

/** The methods of the form, the fast one first. */
const methodsOf = async (context: Context, { link, profile }: LinkView, amount: bigint | null) =>
  (await linkMethods(context, link, profile, amount)).toSorted(
    (a, b) => Number(b === fastMethod) - Number(a === fastMethod),
  )

const wordOf = (form: unknown, name: string): string => {
  const value = (form as Readonly<Record<string, unknown>> | null | undefined)?.[name]
  return typeof value === 'string' ? value.slice(0, 100) : ''
}

const readForm = (request: LinkRequest): LinkForm => {
  const visit = wordOf(request.body, 'visit')
  // Without the visit of a page, a form that is sent twice could not be distinguished from two payments.
  const isStale = !isVisit.test(visit)
  return {
    visit: isStale ? formVisit() : visit,
    isStale,
    amount: wordOf(request.body, 'amount'),
    method: wordOf(request.body, 'method'),
  }
}

const sendStop = ({ send }: LinkPageTools, reply: FastifyReply, view: LinkView, stop: LinkStop): FastifyReply => {
  if ('seconds' in stop && stop.seconds !== undefined) void reply.header('retry-after', Math.ceil(stop.seconds))
  return send(reply, statusOf[stop.kind], showLinkStop(view, stop), view)
}

const paymentPath = ({ context }: LinkPageTools, { given }: LinkView, { merchantId, id }: Payment): string =>
  pagePath(context, given, context.checkoutTokens.issue(merchantId, id), 'payment-sbp')

type Answering = {
  readonly reply: FastifyReply
  readonly view: LinkView
  readonly form: LinkForm
  readonly methods: readonly PaymentMethod[]
}

const answerStarted = (tools: LinkPageTools, { reply, view, form, methods }: Answering, started: Started) => {
  const { context, send } = tools
  switch (started.kind) {
    case 'started':
      return reply.redirect(paymentPath(tools, view, started.payment), 303)
    case 'refused': {
      const { code, details } = started.refusal
      if (details.retryAfterSeconds !== undefined) void reply.header('retry-after', details.retryAfterSeconds)
      // Another amount or method may still be possible; other problems are not the payer's to correct.
      const mayCorrect = code === 'requisites_unavailable' && (view.link.amount === null || methods.length > 1)
      if (mayCorrect) return send(reply, 409, showLinkForm(view, methods, { ...form, isTaken: true }), view)
      context.log.info({ code, linkId: view.link.id }, 'a payment of a link was refused')
      return sendStop(tools, reply, view, { kind: 'unavailable' })
    }
    case 'busy': {
      const { freeAt } = started
      const seconds = freeAt === null ? undefined : Math.max(60, (freeAt - context.clock()) / 1000)
      return sendStop(tools, reply, view, { kind: 'busy', seconds })
    }
    case 'limited':
      return sendStop(tools, reply, view, { kind: 'limited', seconds: started.retryAfterSeconds })
    default:
      return sendStop(tools, reply, view, started)
  }
}

const takeForm = async (tools: LinkPageTools, request: LinkRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const { context, send } = tools
  const view = await openLink(context, request.params, request.headers['accept-language'])
  const { link, profile, bounds } = view
  if (profile.merchant.status === 'suspended') return sendStop(tools, reply, view, { kind: 'closed' })
  const form = readForm(request)
  const amount = link.amount ?? readTypedAmount(form.amount, link.currency, bounds)
  if (typeof amount === 'string') {
    const stop = stopOf(view, context.clock())
    if (stop) return sendStop(tools, reply, view, stop)
    return send(reply, 422, showLinkForm(view, await methodsOf(context, view, null), { ...form, fault: amount }), view)
  }
  const methods = await methodsOf(context, view, link.amount)
  const method = form.method === '' ? methods[0] : methods.find((each) => each === form.method)
  if (method === undefined || form.isStale) {
    const stop = stopOf(view, context.clock()) ?? (methods.length === 0 ? { kind: 'unavailable' } : undefined)
    if (stop) return sendStop(tools, reply, view, stop)
    return send(reply, 422, showLinkForm(view, methods, { ...form, isStale: true }), view)
  }
  const order = { linkId: link.id, amount, method, visit: form.visit, address: addressGroup(request.ip) }
  return answerStarted(tools, { reply, view, form, methods }, await startLinkPayment(context, profile, order))
}

const showForm = async (tools: LinkPageTools, request: LinkRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const { context, send } = tools
  const view = await openLink(context, request.params, request.headers['accept-language'])
  const stop = stopOf(view, context.clock())
  if (stop) return sendStop(tools, reply, view, stop)
  const methods = await methodsOf(context, view, view.link.amount)
  if (methods.length === 0) return sendStop(tools, reply, view, { kind: 'unavailable' })
  return send(reply, 200, showLinkForm(view, methods, { visit: formVisit(), amount: '', method: '' }), view)
}

/** Whether an address is that of a link's page, or of one of its parts. */
export const isLinkAddress = (url: string): boolean => /^\/(?:[\w-]{1,20}\/)?l\/[\w-]{1,2048}(?![\w-])/.test(url)

/** The pages of payment links: what is paid for, and a form that starts a payment and leads to its page. */
export const registerLinkPage = (app: App, tools: LinkPageTools): void => {
  const { context } = tools
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    void reply.headers(tools.headers)
    if (request.method === 'POST') refuseForeignForm(request, context.settings.publicUrl)
    await tools.checkLimits(request)
  }
  const options = { schema: { hide: true }, onRequest }
  for (const address of ['/l/:link', '/:locale/l/:link']) {
    app.get<{ Params: LinkAddress }>(address, options, (request, reply) => showForm(tools, request, reply))
    app.post<{ Params: LinkAddress }>(address, options, (request, reply) => takeForm(tools, request, reply))
    app.get<{ Params: LinkAddress }>(`${address}/code`, options, async (request, reply) => {
      const { link } = await openLink(tools.context, request.params, undefined)
      return reply.type('image/png').send(qrImage(linkUrl(tools.context, link.id)))
    })
    app.get<{ Params: LinkAddress }>(`${address}/languages`, options, async (request, reply) => {
      const view = await openLink(tools.context, request.params, request.headers['accept-language'])
      const page = showLinkForm(view, [], { visit: '', amount: '', method: '' })
      return tools.send(reply, 200, showLanguages(page), view)
    })
  }
}
