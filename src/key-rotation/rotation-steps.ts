import { sealedChannels } from '../alerts/channels/sealed-channels.ts'
import { sealedEvidence, sealedReceipts } from '../disputes/sealed-receipts.ts'
import { renewSecondFactors } from '../members/auth/auth-secrets.ts'
import { sealedEndpoints } from '../notifications/endpoints/sealed-endpoints.ts'
import { sealedPayers } from '../payments/sealed-payers.ts'
import { renewAllAccounts } from '../requisites/bindings/renew-account.ts'
import { sealedRequisites } from '../requisites/sealed-requisites.ts'
import { moveUses, renewUses } from '../risk/renew-uses.ts'
import { sealedBlocks } from '../risk/sealed-blocks.ts'
import { renewEntries } from '../search/renew-entries.ts'
import { sealedRows, sealedSources } from '../statements/sealed-rows.ts'
import { renewNumbers } from '../tenants/enter-keys.ts'
import { sealedOutgoing, sealedTransfers } from '../transfers/sealed-transfers.ts'
import { renewTable, type RotationStep } from './renew-table.ts'

/** Everything that is sealed or hashed with a key, what is looked up most often first. */
export const rotationSteps: readonly RotationStep[] = [
  renewTable(sealedRequisites, renewNumbers),
  { name: 'statement_accounts', run: renewAllAccounts },
  renewTable(sealedSources),
  renewTable(sealedBlocks),
  renewTable(sealedEndpoints),
  renewTable(sealedChannels),
  { name: 'member_second_factors', run: renewSecondFactors },
  renewTable(sealedPayers, moveUses),
  renewTable(sealedTransfers, moveUses),
  renewTable(sealedOutgoing),
  { name: 'risk_uses', run: renewUses },
  renewTable(sealedRows),
  renewTable(sealedReceipts),
  renewTable(sealedEvidence),
  { name: 'search_entries', run: renewEntries },
]
