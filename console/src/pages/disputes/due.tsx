import { Moment } from '../../parts/moment.tsx'
import { useNow } from '../../time.ts'

/** When a dispute is due; stands out once that time has passed. */
export const Due = ({ at, isDecided }: { readonly at: string; readonly isDecided: boolean }) => {
  const isOver = Date.parse(at) < useNow() && !isDecided
  return (
    <span className={isOver ? 'overdue' : isDecided ? 'quiet' : ''}>
      <Moment at={at} show="relative" />
    </span>
  )
}
