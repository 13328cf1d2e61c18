import { ActionIcon, Button, FileButton, Progress } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { formatList } from 'bank-files/pure'
import { FileDrop } from '../../parts/file-drop.tsx'
import { Icon } from '../../parts/icon.tsx'
import { forgetUpload, startUploads, unfollow, type Upload, useUploads } from '../../uploads.ts'
import { say } from '../../language.ts'

const Outcome = ({ upload }: { readonly upload: Upload }) => {
  if (upload.state === 'waiting') return <span className="quiet">waits for the previous one</span>
  if (upload.state === 'sending')
    return (
      <>
        <Progress
          className="upload-bar"
          value={upload.share * 100}
          animated={upload.share === 1}
          aria-label={`${upload.file.name} is sent`}
        />
        <span className="quiet small">
          {upload.share < 1 ? `${Math.floor(upload.share * 100)} % sent` : 'Reading…'}
        </span>
      </>
    )
  if (upload.state === 'read')
    return (
      <Link to="/statements/$id" params={{ id: upload.statementId }}>
        Look at the preview
      </Link>
    )
  return (
    <>
      <span className="refused">{say(upload.error.message.split('\n')[0] ?? '')}</span>
      {upload.statementId !== undefined && (
        <Link to="/statements/$id" params={{ id: upload.statementId }}>
          Why, and read it differently
        </Link>
      )}
    </>
  )
}

/** The files that were chosen in this window, with their outcomes; without the one that the page itself shows. */
export const UploadList = ({ shown }: { readonly shown?: string }) => {
  const uploads = useUploads().filter(
    (upload) => shown === undefined || !('statementId' in upload) || upload.statementId !== shown,
  )
  if (uploads.length === 0) return null
  return (
    <ul className="uploads panel" aria-label="Files">
      {uploads.map((upload) => (
        <li key={upload.key}>
          <span className="strong cut">{upload.file.name}</span>
          <Outcome upload={upload} />
          {(upload.state === 'read' || upload.state === 'refused') && (
            <ActionIcon size="sm" aria-label={`Forget ${upload.file.name}`} onClick={() => forgetUpload(upload.key)}>
              <Icon name="close" size={14} />
            </ActionIcon>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Takes files from a button, or dropped on the page. */
export const ChooseFiles = () => (
  <>
    <FileDrop text={`Drop statements here: ${formatList}`} onFiles={startUploads} />
    <FileButton onChange={startUploads} multiple>
      {(props) => (
        <Button {...props} leftSection={<Icon name="upload" size={14} />}>
          Choose files
        </Button>
      )}
    </FileButton>
  </>
)

/** Opens the preview of a file that was chosen alone as soon as it has been read. */
export const useFollowed = (): void => {
  const followed = useUploads().find(({ isFollowed, state }) => isFollowed && (state === 'read' || state === 'refused'))
  const navigate = useNavigate()
  useEffect(() => {
    if (followed?.state !== 'read' && followed?.state !== 'refused') return
    const { key, statementId } = followed
    if (statementId === undefined) return unfollow(key)
    forgetUpload(key)
    void navigate({ to: '/statements/$id', params: { id: statementId }, search: {} })
  }, [followed, navigate])
}
