import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { countRead, listTemplates, tryTemplate } from '../../engine/phones/templates/read.ts'
import { readWaiting } from '../../engine/phones/templates/read-waiting.ts'
import {
  approveTemplate,
  refuseContradicting,
  saveTemplate,
  type Template,
  tryLesson,
  unapprovedOfTemplate,
  withdrawTemplate,
} from '../../engine/phones/templates/teach-template.ts'
import type { Trial } from '../../engine/phones/templates/try-on-kept.ts'
import { messageTemplates } from '../../operations/message-templates.ts'
import { noSuch } from '../../rules/refusal.ts'
import { actOnBehalf, actOnNamed, actorOf, loneActor, secondOf } from '../access/act-on-behalf.ts'
import { loneOfPhone } from '../access/lone-phone.ts'
import { bindOperations } from '../routes/bind-operations.ts'

const stateOf = ({ withdrawnAt, usedSince }: Template) =>
  withdrawnAt !== null ? ('withdrawn' as const) : usedSince === null ? ('proposed' as const) : ('used' as const)

const toAnswer = (row: Template, counts: { readonly read: number; readonly recorded: number } | undefined) => ({
  ...row,
  state: stateOf(row),
  unapproved: unapprovedOfTemplate(row),
  ...(counts ?? { read: 0, recorded: 0 }),
})

const listAnswers = async (context: Context) => {
  const counts = await countRead(context)
  return (await listTemplates(context)).map((row) => toAnswer(row, counts.get(row.id)))
}

const answerTemplate = async (context: Context, id: string) => {
  const found = (await listAnswers(context)).find((each) => each.id === id)
  if (!found) throw noSuch('template')
  return found
}

const toTrial = ({ tried, counts, messages }: Trial) => ({
  ...{ tried, messages },
  ...{ reads: counts.read, contradicts: counts.contradicted },
})

/** Reads what waits with a template that is used from now on; what cannot be read now is left to the job. */
const answerUsed = async (context: Context, { id, bank, usedSince }: Template) => {
  if (usedSince !== null)
    await readWaiting(context, bank, loneOfPhone(context)).catch((error: unknown) =>
      context.log.warn({ err: error, bank }, 'messages that wait could not be read with a new template'),
    )
  return answerTemplate(context, id)
}

export const messageTemplateRoutes = bindOperations(messageTemplates.operations, {
  try: async (context, { body }) => {
    const { trial, ...taught } = await tryLesson(context, body)
    return { ...taught, ...toTrial(trial) }
  },
  teach: async (context, request) => {
    const { body } = request
    const taught = await tryLesson(context, body)
    const taughtBy = actorOf(request)
    // Only what credits needs a second person: anything else brings no money.
    const save = async (tx: Tx) =>
      saveTemplate(tx, body, taught, {
        taughtBy,
        changedBy: body.kind === 'credit' ? await loneActor(context, request, tx) : null,
      })
    const saved = await actOnBehalf(context, request, save, {
      action: 'message-template.teach',
      subject: ({ id }) => `message-template:${id}`,
      details: ({ bank, kind, template, messageId }) => ({ bank, kind, template, messageId }),
    })
    return answerUsed(context, saved)
  },
  list: async (context) => ({ templates: await listAnswers(context) }),
  show: async (context, { params }) => toTrial(await tryTemplate(context, params.id)),
  approve: async (context, request) => {
    const { id } = request.params
    // Others may have been approved since it was taught.
    refuseContradicting(await tryTemplate(context, id))
    const approve = (tx: Tx) => approveTemplate(tx, id, request.body.version, secondOf(context, request))
    const detailsOf = ({ bank, kind, template }: Template) => ({ bank, kind, template })
    return answerUsed(context, await actOnNamed(context, request, 'message-template.approve', approve, detailsOf))
  },
  withdraw: async (context, request: FastifyRequest<{ Params: { id: string } }>) => {
    const { id } = request.params
    const withdraw = (tx: Tx) => withdrawTemplate(tx, id, actorOf(request))
    await actOnNamed(context, request, 'message-template.withdraw', withdraw, (waiting) => ({ waiting }))
    return answerTemplate(context, id)
  },
})
