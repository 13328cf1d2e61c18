import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { merchants } from '../api/merchants.ts'
import type { Query } from '../api/client.ts'

/** The filter of lists that are of one mode. */
export const modeFilter = { name: 'mode', label: 'Live', options: ['sandbox'], width: 110 }

/** The mode that the address asks for, as a query; live money without one. */
export const useMode = (): Query => {
  const { mode }: Query = useSearch({ strict: false })
  return { mode }
}

/** Chooses between real and simulated money, if there is any. */
export const ModeChoice = () => {
  const { mode = 'live' } = useMode()
  const navigate = useNavigate()
  const { data = [] } = useQuery(merchants)
  if (mode === 'live' && !data.some((each) => each.mode === 'sandbox')) return null
  const choose = (chosen: string): void => {
    const changed = { mode: chosen === 'live' ? undefined : chosen }
    void navigate({ to: '.', search: (before: Query) => ({ ...before, ...changed }), replace: true })
  }
  return (
    <SegmentedControl
      aria-label="Live and sandbox"
      data={[
        { value: 'live', label: 'Live' },
        { value: 'sandbox', label: 'Sandbox' },
      ]}
      value={mode}
      onChange={choose}
    />
  )
}
