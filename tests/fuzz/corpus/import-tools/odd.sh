python3 -m verl.trainer.main_ppo a.b.c.d.e.f.g.h.i.j.k=1 =2 .=3 a..b=4 +x.y=[1,2] actor_rollout_ref=5 actor_rollout_ref.model.path= trainer.nnodes=999999999999
