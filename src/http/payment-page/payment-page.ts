import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Merchant } from '../../rules/merchants/merchant.ts'
import { mayCancel, mayChangePayer } from '../../rules/payments/payment.ts'
import { maxReceiptBytes } from '../../rules/payments/receipt.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { Context } from '../../engine/context.ts'
import type { App } from '../routes/app.ts'
import { errorCodes } from '../../rules/error-codes.ts'
import { toRefusal } from '../errors/errors.ts'
import { limitUploads, uploadWithinMs } from '../access/uploads.ts'
import { chooseLocale, readLocale } from './languages.ts'
import { type HtmlPage, renderDocument, showLanguages } from './layout.ts'
import { servePageAssets } from './page-assets.ts'
import { pageEvents } from './page-events.ts'
import { isLinkAddress, registerLinkPage } from './link-page.ts'
import { type Exchange, pageForms, type PageRequest, type PageTools } from './page-forms.ts'
import { keepErrors, takeErrors } from './keep-errors.ts'
import { limitRequests, refuseForeignForm } from './page-limits.ts'
import { basePath, openPage, type PageAddress, pageTag, type PageView } from './page-view.ts'
import { qrImage } from './qr-image.ts'
import { showBankTiles, showFoundBanks, showLinkTiles } from './show-banks.ts'
import { showCancel, showChange, showProblem, showReceipt } from './show-parts.ts'
import { showPage } from './show-page.ts'
import { uploadLimits } from './read-upload.ts'

/** Largest form without a file, in bytes. */
const maxFormBytes = 4096
/** Largest form with a file, in bytes: its other fields and the boundaries of its parts are small. */
const maxUploadBytes = maxReceiptBytes + 16 * 1024

/** What the page may load and who may frame it: nothing inline or from other sites, no frame but the merchant's. */
const contentPolicy = (merchant?: Merchant): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${merchant?.settings.frameHosts.map((host) => `https://${host}`).join(' ') || "'none'"}`,
    "require-trusted-types-for 'script'",
    'trusted-types page',
  ].join('; ')

const pageHeaders = {
  'content-security-policy': contentPolicy(),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
}

const options = { schema: { hide: true } }

const wantsHtml = ({ headers }: FastifyRequest): boolean => /\btext\/html\b/.test(headers.accept ?? '')

/** Whether a browser asks for an address that is not of the API. */
export const wantsPage = (request: FastifyRequest): boolean => !request.url.startsWith('/api/') && wantsHtml(request)

const picture = (reply: FastifyReply, text: string): FastifyReply => reply.type('image/png').send(qrImage(text))

type Tools = PageTools & { readonly send: SendPage }
type ShowPart = (tools: Tools, view: PageView, exchange: Exchange) => FastifyReply

/** A part that exists only under a condition; otherwise its address leads back to the page. */
const partIf =
  (isShown: (view: PageView) => boolean, show: (...given: Parameters<ShowPart>) => HtmlPage): ShowPart =>
  (tools, view, exchange) => {
    const { reply } = exchange
    return isShown(view) ? tools.send(reply, 200, show(tools, view, exchange), view) : reply.redirect(view.path(), 303)
  }

const isPayable = ({ state }: PageView): boolean => state === 'pay' || state === 'part'

const showBanks: ShowPart = ({ send }, view, { request, reply }) => {
  const { find } = request.query as { find?: unknown }
  const text = typeof find === 'string' ? find.slice(0, 100) : ''
  // The script fetches the tiles alone. Without it, the form of the details is sent with the search in it.
  if (!wantsHtml(request) && (isPayable(view) || view.state === 'details')) {
    const tiles = isPayable(view) ? showLinkTiles(view, text) : showBankTiles(view, text, undefined)
    return reply.type('text/html; charset=utf-8').send(tiles)
  }
  return isPayable(view) ? send(reply, 200, showFoundBanks(view, text), view) : reply.redirect(view.path(), 303)
}

/** A page's QR codes, receipt, bank search and questions, by the last segment of their address. */
const parts: Readonly<Record<string, ShowPart>> = {
  link: ({ context }, view, { reply }) => picture(reply, `${new URL(context.settings.publicUrl).origin}${view.path()}`),
  code: (_tools, view, { reply }) => {
    const { sbpLink, code = sbpLink } = isPayable(view) ? view.requisite() : {}
    if (code === undefined) throw new Refusal('resource_not_found', 'There is no payment code at the moment.')
    return picture(reply, code)
  },
  banks: showBanks,
  languages: partIf(
    () => true,
    (_tools, view) => showLanguages(showPage(view)),
  ),
  change: partIf(
    ({ payment, now }) => mayChangePayer(payment, now),
    ({ context }, view, { request, reply }) => showChange(view, takeErrors(context, request, reply, view).details),
  ),
  cancel: partIf(
    ({ payment, now }) => mayCancel(payment, now),
    (_tools, view) => showCancel(view),
  ),
  receipt: partIf(
    ({ state }) => state === 'paid' || state === 'credited',
    (_tools, view) => showReceipt(view),
  ),
}

/**
 * The path of the page that an address belongs to, and its language; read from the address, because one that could not
 * be routed has no parameters. It has only characters of a token: any other could turn a redirect into one to another
 * site.
 */
const pageAddressOf = (url: string): [path: string | undefined, locale: string | undefined] => {
  const [, locale, token] = /^\/(?:([\w-]{1,20})\/)?([\w-]{1,2048})\/payment-sbp(?![\w-])/.exec(url) ?? []
  const language = readLocale(locale)
  if (token === undefined) return [undefined, locale]
  return [['', ...(language === undefined ? [] : [language]), token, 'payment-sbp'].join('/'), locale]
}

/** Whether a browser asks for an address of a page of a payment or link, by whatever method. */
export const wantsPayersPage = (request: FastifyRequest): boolean =>
  wantsHtml(request) && (pageAddressOf(request.url)[0] !== undefined || isLinkAddress(request.url))

/** The refusal for every address that opens nothing. */
export const unknownLink = (): Refusal => new Refusal('payment_not_found', 'There is no payment at this address.')

type SendPage = (reply: FastifyReply, status: number, page: HtmlPage, view?: PageView) => FastifyReply

/** Serves the parts of a page and takes its forms, at addresses under the page's own. */
const registerParts = (app: App, address: string, tools: Tools): void => {
  for (const [name, show] of Object.entries(parts)) {
    app.get<{ Params: PageAddress }>(`${address}/${name}`, options, async (request, reply) =>
      show(tools, await tools.open(request), { request, reply }),
    )
  }
  for (const [name, take] of Object.entries(pageForms)) {
    const takesFile = name === 'receipt' || name === 'paid'
    const limits = takesFile
      ? { bodyLimit: maxUploadBytes, config: { bodyWithinMs: uploadWithinMs } }
      : { bodyLimit: maxFormBytes }
    const url = `${address}/${name}`
    app.post<{ Params: PageAddress }>(url, { ...options, ...limits }, async (request, reply) =>
      take(tools, await tools.open(request), { request, reply }),
    )
    if (name in parts) continue
    // A form that was answered in place leaves its address in the browser; reloading that leads back to the page.
    app.get<{ Params: PageAddress }>(url, options, async (request, reply) =>
      reply.redirect((await tools.open(request)).path(), 303),
    )
  }
}

/** Answers a refused request with a page. */
export type ShowRefusal = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply

const showRefusals =
  (send: SendPage, base: string): ShowRefusal =>
  (error, request, reply) => {
    const refusal = toRefusal(error)
    const { status } = errorCodes[refusal.code]
    request.refusalCode = refusal.code
    if (refusal.code === 'internal_error') request.log.error({ err: error }, 'internal error')
    const { retryAfterSeconds } = refusal.details
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds)
    // Do not wait for the rest of a body that takes too long to arrive.
    if (status === 408) void reply.header('connection', 'close')
    const [address, language] = pageAddressOf(request.url)
    const { locale: given } = (request.params ?? {}) as Partial<PageAddress>
    const locale = chooseLocale(given ?? language, null, request.headers['accept-language'])
    const path = address === undefined ? undefined : base + address
    return send(reply.headers(pageHeaders), status, showProblem(locale, status, path))
  }

/** Answers refused requests, and addresses that nothing else serves, with a page. */
const registerProblems = (app: App, showRefusal: ShowRefusal): void => {
  app.setErrorHandler((error, request, reply) => showRefusal(error, request, reply))

  // People who mistype a link see the page for unknown links; programs get the problem document.
  app.get('/*', options, (request, reply) => {
    if (!wantsPage(request)) return reply.callNotFound()
    throw unknownLink()
  })
}

/**
 * Adds the payer's page, which shows a payment by its checkout token and accepts the payer's forms. Returns how
 * requests are refused with a page.
 */
export const registerPaymentPage = async (app: App, context: Context): Promise<ShowRefusal> => {
  const base = basePath(context)
  await app.register(rateLimit, { global: false, cache: 20_000 })
  const limits = limitRequests(app, context)
  const served = servePageAssets(app, context, limits.ofReads)
  const assets = { style: base + served.style, script: `${base}${served.script}` }

  const sendWith =
    (script: string | undefined) =>
    (reply: FastifyReply, status: number, page: HtmlPage, view?: Pick<PageView, 'merchant'>): FastifyReply => {
      if (view) void reply.header('content-security-policy', contentPolicy(view.merchant))
      const document = Buffer.from(renderDocument(page, { ...assets, script }))
      return reply.code(status).type('text/html; charset=utf-8').send(document)
    }
  const send = sendWith(assets.script)
  const tools: Tools = {
    context,
    send,
    uploads: limitUploads(),
    open: (request) => openPage(context, request.params, request.headers['accept-language']),
    showErrors: ({ request, reply }, status, view, errors, part) => {
      const page = part === 'change' ? showChange(view, errors.details) : showPage(view, errors)
      // Only a browser that leaves its page for the response asks for HTML by name; the script does not.
      if (!wantsHtml(request)) return send(reply, status, page, view)
      keepErrors(context, reply, view, errors)
      return reply.redirect(part === undefined ? view.path() : `${view.path()}/${part}`, 303)
    },
  }

  app.removeAllContentTypeParsers()
  await app.register(formbody, { bodyLimit: maxFormBytes })
  await app.register(multipart, { limits: uploadLimits })
  app.addHook('onRequest', async (request, reply) => {
    if (!('token' in (request.params as object))) return
    void reply.headers(pageHeaders)
    if (request.method === 'POST') refuseForeignForm(request, context.settings.publicUrl)
    await limits.ofPages(request)
  })
  const showRefusal = showRefusals(send, base)
  registerProblems(app, showRefusal)

  const show = async (request: PageRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const view = await tools.open(request)
    // Only the script sends the tag it shows: a browser stores nothing of the page.
    if (request.headers['if-none-match'] === pageTag(view)) return reply.code(304).send()
    return send(reply, 200, showPage(view, takeErrors(context, request, reply, view)), view)
  }
  registerLinkPage(app, {
    context,
    checkLimits: limits.ofReads,
    headers: pageHeaders,
    // Without the script: the form is sent once, and leads to another page.
    send: sendWith(undefined),
  })
  const stream = pageEvents(app, context)
  for (const address of ['/:token/payment-sbp', '/:locale/:token/payment-sbp']) {
    app.get<{ Params: PageAddress }>(address, options, show)
    // No HEAD: the stream would never end.
    app.get<{ Params: PageAddress }>(`${address}/events`, { ...options, exposeHeadRoute: false }, (request, reply) =>
      stream(request, reply, () => tools.open(request)),
    )
    registerParts(app, address, tools)
  }
  return showRefusal
}
