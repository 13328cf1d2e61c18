import './ledger.css'
import { SegmentedControl } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useMode } from '../../parts/mode-choice.tsx'

const views = [
  { value: '/ledger', label: 'Accounts' },
  { value: '/ledger/journal', label: 'Journal' },
  { value: '/ledger/trial-balance', label: 'Trial balance' },
] as const

/** The pages of the ledger: balances, entries, and the trial balance. */
export const LedgerViews = ({ own }: { readonly own: (typeof views)[number]['value'] }) => {
  const navigate = useNavigate()
  const mode = useMode()
  return (
    <SegmentedControl
      aria-label="Which"
      data={[...views]}
      value={own}
      onChange={(chosen) => void navigate({ to: chosen, search: mode })}
    />
  )
}
