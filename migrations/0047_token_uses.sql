-- When each token was last used, to the minute: by the id of a merchant's token, or the hash of an operator's, which is in the
-- settings. Apart from the tokens, so that a use never waits for a change of one.
create table token_uses (
  token text primary key,
  last_used_at timestamptz not null
);
