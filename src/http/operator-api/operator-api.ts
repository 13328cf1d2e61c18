import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { hashAccessToken } from '../../secrets/access-token.ts'
import { equalHashes } from '../../secrets/equal-hashes.ts'
import type { App } from '../app.ts'
import { bearerToken, refuseBrowser } from '../auth.ts'
import { registerDeliveries } from '../notifications/deliveries.ts'
import { registerEndpoints } from '../notifications/endpoints.ts'
import { operatorSide } from '../notifications/side.ts'
import { registerAdjustments } from './adjustments.ts'
import { registerAudit } from './audit.ts'
import { registerBankGuides } from './bank-guides.ts'
import { registerBankIssuers } from './bank-issuers.ts'
import { registerClaims } from './claims.ts'
import { registerDisputeDecisions } from './dispute-decisions.ts'
import { registerDisputes } from './disputes.ts'
import { registerDoctor } from './doctor.ts'
import { registerExplainAllocation } from './explain-allocation.ts'
import { registerInbox } from './inbox.ts'
import { registerForecastSlots } from './forecast-slots.ts'
import { registerJournal } from './journal.ts'
import { registerLedger } from './ledger.ts'
import { registerLimits } from './limits.ts'
import { registerLogos } from './logos.ts'
import { registerMerchants } from './merchants.ts'
import { registerOverpayments } from './overpayments.ts'
import { registerPayments } from './payments.ts'
import { registerRates } from './rates.ts'
import { registerRequisiteHealth } from './requisite-health.ts'
import { registerRequisites } from './requisites.ts'
import { registerRiskBlocks } from './risk-blocks.ts'
import { registerRiskDecisions } from './risk-decisions.ts'
import { registerRiskRules } from './risk-rules.ts'
import { registerReconciliation } from './reconciliation.ts'
import { registerReversals } from './reversals.ts'
import { registerSettlements } from './settlements.ts'
import { registerStatementSources } from './statement-sources.ts'
import { registerStatements } from './statements.ts'
import { registerTerms } from './terms.ts'
import { registerTokens } from './tokens.ts'
import { registerTransfers } from './transfers.ts'
import { registerTroubledEndpoints } from './troubled-endpoints.ts'
import { registerTryTerms } from './try-terms.ts'
import { uploadStatement } from './upload-statement.ts'

const authenticateOperator = (context: Context, request: FastifyRequest): void => {
  refuseBrowser(request)
  const hash = hashAccessToken(bearerToken(request))
  const operator = context.operators.find(({ tokenHash }) => equalHashes(hash, tokenHash))
  if (!operator) throw new Refusal('token_invalid', 'The operator token is not valid.')
  request.operator = operator.name
}

/** The operations of the operator: authenticated by the tokens of the settings, audited, never for browsers. */
export const registerOperatorApi = async (app: App, context: Context): Promise<void> => {
  app.addHook('onRequest', async (request) => {
    authenticateOperator(context, request)
    // An operator sees at once what was changed through another node.
    context.catalog.invalidate()
  })
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  registerMerchants(app, context)
  registerLogos(app, context)
  registerTerms(app, context)
  registerTryTerms(app, context)
  registerTokens(app, context)
  registerLimits(app, context)
  registerRequisites(app, context)
  registerExplainAllocation(app, context)
  registerForecastSlots(app, context)
  registerRequisiteHealth(app, context)
  registerRiskBlocks(app, context)
  registerRiskRules(app, context)
  registerRiskDecisions(app, context)
  registerRates(app, context)
  registerBankIssuers(app, context)
  registerBankGuides(app, context)
  registerTransfers(app, context)
  registerReversals(app, context)
  registerInbox(app, context)
  uploadStatement(app, context)
  registerStatements(app, context)
  registerStatementSources(app, context)
  registerPayments(app, context)
  registerClaims(app, context)
  registerDisputes(app, context)
  await registerDisputeDecisions(app, context)
  registerLedger(app, context)
  registerEndpoints(app, context, operatorSide(context))
  registerDeliveries(app, context, operatorSide(context))
  registerTroubledEndpoints(app, context)
  registerAdjustments(app, context)
  registerOverpayments(app, context)
  registerReconciliation(app, context)
  registerSettlements(app, context)
  registerJournal(app, context)
  registerDoctor(app, context)
  registerAudit(app, context)
}
