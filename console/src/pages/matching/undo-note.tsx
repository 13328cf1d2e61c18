import { Kbd } from '@mantine/core'
import { say } from '../../language.ts'

type Preview = { readonly revocable?: boolean; readonly whyIrrevocable?: string }

/** Whether decisions can be undone, and if not, why; as the service has tried it. */
export const UndoNote = ({ previews }: { readonly previews: readonly Preview[] }) => {
  const final = previews.filter(({ revocable }) => revocable === false)
  const [first] = final
  if (first === undefined) {
    return (
      <>
        You can undo it with <Kbd size="xs">u</Kbd>.
      </>
    )
  }
  const which = previews.length === 1 ? 'It' : final.length === previews.length ? 'They' : `${final.length} of them`
  return (
    <span className="final">
      {which} cannot be undone: {first.whyIrrevocable && say(first.whyIrrevocable)}
    </span>
  )
}
