import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { readingScope, type Scope } from '../domain/access.ts'
import { redactAddress, redactBody } from '../domain/redact-body.ts'
import { second } from '../domain/time.ts'
import { type Bodies, noteRequest, writeRequests } from '../request-log/note-request.ts'
import type { App } from './app.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer's body, where it is a text. */
    answered?: string | undefined
  }
}

/** Operations that read the log are not logged: they would fill it. */
const ofLog: ReadonlySet<string | undefined> = new Set(['listRequests', 'getRequest'])

/** Refusals of requests that name nothing: what they sent may be anything that somebody has pasted. */
const namesNothing: ReadonlySet<string | undefined> = new Set(['payment_not_found', 'validation_failed'])

/** Longest answer whose parts are looked at: lists may have megabytes. */
const maxAnswerLength = 16_384

const readAnswer = (answered: string | undefined, type: string): string | null => {
  if (answered === undefined || answered === '') return null
  if (!type.includes('json')) return `(${type.split(';')[0] ?? ''})`
  if (answered.length > maxAnswerLength) return `(${answered.length} characters)`
  return redactBody(JSON.parse(answered))
}

const bodiesOf = (request: FastifyRequest, reply: FastifyReply): Bodies => {
  const { body } = request
  const isFile = body instanceof Uint8Array
  return {
    requestBody:
      body === undefined || body === null ? null : isFile ? `(a file of ${body.length} bytes)` : redactBody(body),
    answerBody: readAnswer(request.answered, String(reply.getHeader('content-type') ?? '')),
  }
}

/** The scope that each operation of merchants needs; null if it needs none. They belong to the process, as the routes do. */
const scopesOfOperations = new Map<string, Scope | null>()

/** Whether a caller may read the bodies of a logged request: the log has those of all tokens of its merchant. */
export const mayReadBodies = (operation: string, scopes: readonly Scope[]): boolean => {
  const scope = scopesOfOperations.get(operation)
  return scope === null || (scope !== undefined && scopes.includes(readingScope[scope]))
}

/**
 * Notes what the merchants' programs ask and are answered, after the answer is sent; members of the console are in the
 * audit. Each answer has its id in `payin-request-id`.
 */
export const logMerchantRequests = (app: App, context: Context): void => {
  const { requestLogDays } = context.settings
  app.decorateRequest('answered', undefined)
  app.addHook('onRoute', ({ config }) => {
    if (config?.operation !== undefined) scopesOfOperations.set(config.operation, config.scope ?? null)
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    void reply.header('payin-request-id', request.id)
    if (typeof payload === 'string') request.answered = payload
    done()
  })
  if (requestLogDays === 0) return
  app.addHook('onResponse', (request, reply, done) => {
    done()
    const { operation } = request.routeOptions.config
    // Not set where the token is not known.
    const caller = request.caller as FastifyRequest['caller'] | undefined
    if (!caller || caller.member !== null || operation === undefined || ofLog.has(operation)) return
    const durationMs = Math.round(reply.elapsedTime)
    noteRequest(
      request.tenant,
      {
        merchantId: caller.merchantId,
        id: request.id,
        at: context.clock() - durationMs,
        operation,
        method: request.method,
        path: redactAddress(request.url, !namesNothing.has(request.refusalCode)),
        status: reply.statusCode,
        code: request.refusalCode ?? null,
        durationMs,
      },
      () => bodiesOf(request, reply),
    )
  })
}

/** Writes what was noted every second, and the rest when the server closes. */
export const writeRequestLog = (app: App, context: Context): void => {
  // Those of tenants that somebody has asked something of.
  const asked = new Set([context])
  app.addHook('onResponse', (request, _reply, done) => {
    asked.add(request.tenant)
    done()
  })
  const writeAll = (isLast?: true) => Promise.all([...asked].map((tenant) => writeRequests(tenant, isLast)))
  const timer = setInterval(() => void writeAll(), second).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await writeAll(true)
  })
}
