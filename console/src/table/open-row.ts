import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Query } from '../api/client.ts'

/** The key of the open row in the address, and a function that opens another one or none. */
export const useOpenRow = (): readonly [open: string | undefined, setOpen: (open: string | undefined) => void] => {
  const { open }: Query = useSearch({ strict: false })
  const navigate = useNavigate()
  return [
    open,
    (key) => void navigate({ to: '.', search: (before: Query) => ({ ...before, open: key }), replace: true }),
  ]
}
