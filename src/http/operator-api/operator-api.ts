import type { Context } from '../../engine/context.ts'
import type { App } from '../routes/app.ts'
import { allLinksRoute, linkRoutes } from '../links/links.ts'
import { operatorMark } from '../access/operator-mark.ts'
import { deliveryRoutes } from '../notifications/deliveries.ts'
import { endpointRoutes } from '../notifications/endpoints.ts'
import { operatorSide, onSide } from '../notifications/side.ts'
import { adjustmentRoutes } from './adjustments.ts'
import { alertChannelRoutes, alertRoutes, alertRuleRoutes } from './alerts.ts'
import { auditRoutes } from './audit.ts'
import { authenticateRequests } from '../access/auth.ts'
import { authenticateOperator } from './authenticate-operator.ts'
import { bankIssuerRoutes } from './bank-issuers.ts'
import { bankStatementRoute } from './bank-statement.ts'
import { claimRoutes } from './claims.ts'
import { destinationRoutes } from './destinations.ts'
import { decideDisputeRoutes, decideDisputesRoute, evidenceRoute, evidenceUploadRoute } from './decide-dispute.ts'
import { disputeRoutes } from './disputes.ts'
import { installationRoutes, ownAccountRoute } from './oversight.ts'
import { allocationRoutes } from './allocation.ts'
import { decideTransfersRoute } from './decide-transfers.ts'
import { decisionRoutes } from './decisions.ts'
import { redeliverEventsRoute, troubledEndpointRoute } from './endpoints.ts'
import { inboxRoutes } from './inbox.ts'
import { balancesRoute, journalFiles, journalRoutes } from './ledger.ts'
import { keyRoutes } from './keys.ts'
import { limitRoutes, termsRoutes } from './terms.ts'
import { memberRoutes } from './members.ts'
import { merchantRoutes } from './merchants.ts'
import { nameAnswer } from './name-answers.ts'
import { reconciliationRoutes } from './reconciliation.ts'
import { outgoingRoutes } from './outgoing.ts'
import { outgoingRuleRoutes } from './outgoing-rules.ts'
import { overviewRoute, paymentSummaryRoute } from './overview.ts'
import { overpaymentRoutes } from './overpayments.ts'
import { paymentRoutes } from './payments.ts'
import { rateOverrideRoutes, rateRoutes } from './rates.ts'
import { messageTemplateRoutes } from './message-templates.ts'
import { phoneNounRoutes } from './phones.ts'
import { rateSourceRoutes } from './rate-sources.ts'
import { requisiteHealthRoutes } from './requisite-health.ts'
import { requisiteRoutes, requisiteStatusRoute } from './requisites.ts'
import { riskRoutes } from './risk.ts'
import { searchRoutes } from './search.ts'
import { revealRoutes } from './reveal.ts'
import { reversalRoutes } from './reversals.ts'
import { sandboxRoutes } from './sandbox.ts'
import { refundRoutes } from './refunds.ts'
import { settlementRoutes } from './settlements.ts'
import { sourceRoutes, statementAccountRoutes } from './statement-sources.ts'
import { statementRoutes } from './statements.ts'
import { operatorTurn, takeTurns } from '../access/take-turns.ts'
import { requestRoutes, tokenRoutes } from './tokens.ts'
import { transferRoutes } from './transfers.ts'
import { uploadRoute } from './upload-statement.ts'

const operatorApi = [
  ownAccountRoute,
  overviewRoute,
  paymentSummaryRoute,
  sandboxRoutes,
  searchRoutes,
  merchantRoutes,
  termsRoutes,
  tokenRoutes,
  requestRoutes,
  limitRoutes,
  requisiteRoutes,
  revealRoutes,
  requisiteStatusRoute,
  allocationRoutes,
  requisiteHealthRoutes,
  riskRoutes,
  rateRoutes,
  rateSourceRoutes,
  rateOverrideRoutes,
  bankIssuerRoutes,
  transferRoutes,
  reversalRoutes,
  outgoingRoutes,
  outgoingRuleRoutes,
  inboxRoutes,
  decideTransfersRoute,
  decideDisputesRoute,
  decisionRoutes,
  statementRoutes,
  uploadRoute,
  sourceRoutes,
  phoneNounRoutes,
  messageTemplateRoutes,
  statementAccountRoutes,
  paymentRoutes,
  allLinksRoute,
  onSide(linkRoutes, operatorSide),
  claimRoutes,
  disputeRoutes,
  decideDisputeRoutes,
  evidenceUploadRoute,
  evidenceRoute,
  balancesRoute,
  onSide(endpointRoutes, operatorSide),
  onSide(deliveryRoutes, operatorSide),
  troubledEndpointRoute,
  redeliverEventsRoute,
  adjustmentRoutes,
  overpaymentRoutes,
  reconciliationRoutes,
  bankStatementRoute,
  destinationRoutes,
  settlementRoutes,
  refundRoutes,
  journalRoutes,
  journalFiles,
  installationRoutes,
  alertRoutes,
  alertRuleRoutes,
  alertChannelRoutes,
  auditRoutes,
  memberRoutes,
  keyRoutes,
]

/**
 * Adds the operations for operators. Callers authenticate by a token of the settings or a session of the console; every
 * change is in the audit.
 */
export const registerOperatorApi = async (app: App, context: Context): Promise<void> => {
  authenticateRequests(app, async (request) => {
    await authenticateOperator(context, request)
    // An operator sees changes made through another node immediately.
    context.catalog.invalidate()
    request.addNames = (answer) => nameAnswer(context, answer)
  })
  takeTurns(app, operatorTurn)
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header(...operatorMark)
  })
  // A refusal has no names to add, and the database, which knows them, may be out of reach.
  app.addHook('preSerialization', async (request, reply, payload) =>
    reply.statusCode < 400 && request.addNames ? request.addNames(payload) : payload,
  )
  for (const routes of operatorApi) await routes.register(app, context)
}
