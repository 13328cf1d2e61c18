-- People who sign in to the console, and what proves who they are. The authentication library reads and writes all but
-- invitations and lock-outs (src/members/auth-tables.ts). A password is a hash, a second factor's secret and its recovery
-- codes are encrypted, a session's token is worth nothing without the signature of its cookie.
create table members (
  id uuid primary key,
  -- As the audit names them, and the tokens of operators in the settings.
  name text not null unique,
  email text not null unique,
  email_verified boolean not null,
  image text,
  role text not null,
  two_factor_enabled boolean not null default false,
  disabled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint members_role_known check (role in ('owner', 'operator', 'finance', 'support', 'auditor')),
  constraint members_email_lower check (email = lower(email))
);

create table member_sessions (
  id uuid primary key,
  member_id uuid not null references members on delete cascade,
  token text not null unique,
  expires_at timestamptz not null,
  -- When the member last proved with the second factor to be there.
  verified_at timestamptz,
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index member_sessions_by_member on member_sessions (member_id);

create table member_credentials (
  id uuid primary key,
  member_id uuid not null references members on delete cascade,
  account_id text not null,
  provider_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (member_id, provider_id)
);

create table member_verifications (
  id uuid primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index member_verifications_by_identifier on member_verifications (identifier);

create table member_second_factors (
  id uuid primary key,
  member_id uuid not null unique references members on delete cascade,
  secret text not null,
  backup_codes text not null,
  verified boolean not null default true,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);

create table member_passkeys (
  id uuid primary key,
  member_id uuid not null references members on delete cascade,
  name text,
  public_key text not null,
  credential_id text not null unique,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz
);
create index member_passkeys_by_member on member_passkeys (member_id);

create table member_request_counts (
  id uuid primary key,
  key text not null unique,
  count integer not null,
  last_request bigint not null
);

-- A link that lets one person make an account, or set a new password for the account that it names; only the hash of its
-- token is kept.
create table member_invitations (
  token_hash text primary key,
  member_id uuid references members on delete cascade,
  -- Empty where whoever accepts it says them.
  name text not null,
  email text not null,
  role text not null,
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  constraint member_invitations_role_known check (role in ('owner', 'operator', 'finance', 'support', 'auditor'))
);

-- Failed sign-ins of an address, known or not.
create table member_lockouts (
  email_index text primary key,
  failures integer not null,
  since timestamptz not null,
  locked_until timestamptz
);
