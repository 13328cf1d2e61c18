import { Drawer, Skeleton } from '@mantine/core'
import type { UseQueryOptions, UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { useLiveQuery } from '../live.ts'
import { ProblemMessage } from './problem-message.tsx'

type Props<Data> = {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  /** The query of its content: the drawer waits for it, and shows why if it fails. */
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error'> & { readonly refetch?: () => unknown }
  readonly children: (data: Data) => ReactNode
}

/**
 * Whether a dialog is open over the drawer. Escape, which both of them see, is then meant for the dialog, unless it is
 * already on its way out.
 */
const isCovered = (): boolean => document.querySelectorAll('[role="dialog"]:not([data-closing])').length > 1

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

/** What opens at the side of a list for the key of a row: more than the row says. */
export type Details<Data, Row = unknown> = {
  readonly read: (key: string) => UseQueryOptions<Data, Error, Data, string[]>
  /** The title while it is being read. */
  readonly name: string
  readonly title: (data: Data) => ReactNode
  readonly content: (data: Data, row: Row | undefined) => ReactNode
}

/** The details of a row, read again as long as they are open. */
export const DetailDrawer = <Data, Row>(props: {
  readonly details: Details<Data, Row>
  readonly of: string | undefined
  readonly row?: Row | undefined
  readonly onClose: () => void
}) => {
  const { details, of, row, onClose } = props
  const query = useLiveQuery({ ...details.read(of ?? ''), enabled: of !== undefined })
  const title = query.data === undefined ? details.name : details.title(query.data)
  return (
    <SideDrawer isOpen={of !== undefined} onClose={onClose} title={title} query={query}>
      {(data) => details.content(data, row)}
    </SideDrawer>
  )
}
