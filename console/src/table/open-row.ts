import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Query } from '../api/client.ts'

/** The key of the row that is open next to its list, as the address has it, and how to open another one or none. */
export const useOpenRow = (): readonly [open: string | undefined, setOpen: (open: string | undefined) => void] => {
  const { open }: Query = useSearch({ strict: false })
  const navigate = useNavigate()
  return [
    open,
    (key) => void navigate({ to: '.', search: (before: Query) => ({ ...before, open: key }), replace: true }),
  ]
}
