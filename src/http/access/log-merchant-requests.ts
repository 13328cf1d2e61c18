import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { readingScope, type Scope } from '../../rules/members/access.ts'
import { redactAddress, redactBody } from '../../rules/values/redact-body.ts'
import { second } from '../../rules/time.ts'
import { type Bodies, noteRequest, writeRequests } from '../../engine/request-log/note-request.ts'
import type { App } from '../routes/app.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body of the response, if it is text. */
    answered?: string | undefined
  }
}

/** Successful requests that a program repeats all the time, and those that read the log, would fill it. */
const unlogged: ReadonlySet<string | undefined> = new Set(['listRequests', 'getRequest', 'takeDeliveries'])

/** Refusals that leave open whether an id in the path exists: it may be anything that somebody pasted. */
const namesNothing: ReadonlySet<string | undefined> = new Set(['payment_not_found', 'validation_failed'])

/** Longest response, in characters, that is parsed for the log: lists may have megabytes. */
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

/** The scope that each operation for merchants needs; null for none. Kept for the process, as the routes are. */
const scopesOfOperations = new Map<string, Scope | null>()

/**
 * Whether a caller may read the bodies of a logged request. It needs a scope that reads what the request was about,
 * because the log has the requests of all tokens of its merchant.
 */
export const mayReadBodies = (operation: string, scopes: readonly Scope[]): boolean => {
  const scope = scopesOfOperations.get(operation)
  return scope === null || (scope !== undefined && scopes.includes(readingScope[scope]))
}

/** Writes what was noted every second, and the rest when the server closes. */
const writeRequestLog = (app: App, context: Context): void => {
  const timer = setInterval(() => void writeRequests(context), second).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await writeRequests(context, true)
  })
}

/**
 * Logs the requests of the merchants' programs and their responses within a second; what members do in the console is in
 * the audit. Every response has the id of its request in `payin-request-id`.
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
  writeRequestLog(app, context)
  app.addHook('onResponse', (request, reply, done) => {
    done()
    const { operation } = request.routeOptions.config
    // Not set if the token is unknown.
    const caller = request.caller as FastifyRequest['caller'] | undefined
    if (!caller || caller.member !== null || operation === undefined) return
    if (unlogged.has(operation) && request.refusalCode === undefined) return
    const durationMs = Math.round(reply.elapsedTime)
    noteRequest(
      context,
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
