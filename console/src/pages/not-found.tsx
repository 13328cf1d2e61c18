import { Link } from '@tanstack/react-router'
import { EmptyState } from '../parts/empty-state.tsx'

/** Shown at an address that has no page. */
export const NotFound = () => (
  <EmptyState title="There is no such page" action={<Link to="/">To the overview</Link>}>
    The address may be mistyped, or from another version of Payin.
  </EmptyState>
)
