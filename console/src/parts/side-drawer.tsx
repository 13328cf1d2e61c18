import { Drawer, Skeleton } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { ProblemMessage } from './problem-message.tsx'

type Props<Data> = {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  /** The query of its content: the drawer waits for it, and shows why if it fails. */
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error'> & { readonly refetch?: () => unknown }
  readonly children: (data: Data) => ReactNode
}

/** Whether a dialog is open over the drawer. Escape, which both of them see, is then meant for the dialog. */
const isCovered = (): boolean => document.querySelectorAll('[role="dialog"]').length > 1

/** One thing at the side of its list. While it slides away, it keeps its content. */
export const SideDrawer = <Data,>({ isOpen, onClose, children, ...given }: Props<Data>) => {
  const shown = useRef(given)
  if (isOpen) shown.current = given
  const { title, query } = shown.current
  const { data, error, refetch } = query
  return (
    <Drawer
      opened={isOpen}
      onClose={() => {
        if (!isCovered()) onClose()
      }}
      position="right"
      size={560}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
      overlayProps={{ backgroundOpacity: 0.18 }}
      classNames={{ body: 'drawer', title: 'strong' }}
    >
      {data !== undefined && children(data)}
      {data === undefined && error === null && <Skeleton height={240} role="status" aria-label="Loading" />}
      {data === undefined && error !== null && (
        <ProblemMessage error={error} onRetry={refetch && (() => void refetch())} />
      )}
    </Drawer>
  )
}
