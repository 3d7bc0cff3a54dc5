"""Sheets that tests import over REST."""

CSV = (
    "date,round,table,variant,hand,seat,player_id,player,hearts,queen_spades\r\n"
    "2025-11-13,1,1,hearts,1,N,RL01,Alma D.,4,0\r\n"
    "2025-11-13,1,1,hearts,1,E,RL02,Bruno K.,1,0\r\n"
    "2025-11-13,1,1,hearts,1,S,RL03,Cleo S.,2,0\r\n"
    "2025-11-13,1,1,hearts,1,W,RL04,Dario D.,6,1\r\n"
)
