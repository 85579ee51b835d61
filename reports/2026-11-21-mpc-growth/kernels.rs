//! One kernel against the other: eight complex sequences of 4096 by the f64 transform, and sixteen sequences of
//! residues modulo a 31-bit prime (Montgomery, lazy range) by a number-theoretic one. A real sequence needs the first
//! for a residue, the second for a residue and for its mirror image. The roots of the second are not roots:
//! only its time is looked at.
use std::time::Instant;
type Lane=[f64;8];
#[derive(Clone,Copy)] #[repr(C,align(16))] struct Complex{re:f64,im:f64}
type Factors=[Complex;3];
#[inline(always)] fn times(re:f64,im:f64,w:Complex)->(f64,f64){(re.mul_add(w.re,-(im*w.im)),re.mul_add(w.im,im*w.re))}
#[inline(never)]
fn radix4(factors:&[Factors], re:&mut[Lane], im:&mut[Lane]){
    let q=factors.len(); let (re,im)=(&mut re[..4*q],&mut im[..4*q]);
    for (j,[w1,w2,w3]) in factors.iter().enumerate(){
        let at=[j,j+q,j+2*q,j+3*q];
        let (ar,br,cr,dr)=(re[at[0]],re[at[1]],re[at[2]],re[at[3]]);
        let (ai,bi,ci,di)=(im[at[0]],im[at[1]],im[at[2]],im[at[3]]);
        let mut out=[[[0.0;8];2];4];
        for l in 0..8{
            let (sr,si)=(ar[l]+cr[l],ai[l]+ci[l]); let (tr,ti)=(ar[l]-cr[l],ai[l]-ci[l]);
            let (ur,ui)=(br[l]+dr[l],bi[l]+di[l]); let (vr,vi)=(bi[l]-di[l],dr[l]-br[l]);
            out[0][0][l]=sr+ur; out[0][1][l]=si+ui;
            (out[1][0][l],out[1][1][l])=times(tr+vr,ti+vi,*w1);
            (out[2][0][l],out[2][1][l])=times(sr-ur,si-ui,*w2);
            (out[3][0][l],out[3][1][l])=times(tr-vr,ti-vi,*w3);
        }
        for k in 0..4{re[at[k]]=out[k][0]; im[at[k]]=out[k][1];}
    }
}
fn quarters(st:&[Vec<Factors>],re:&mut[Lane],im:&mut[Lane]){
    let Some((s,rest))=st.split_first() else{return}; radix4(s,re,im); let q=s.len(); if rest.is_empty(){return}
    for (re,im) in re.chunks_exact_mut(q).zip(im.chunks_exact_mut(q)){quarters(rest,re,im)}
}
// NTT: 16 sequences of residues side by side, Montgomery, Harvey's lazy range [0,2p)
const P:u32=469762049;
const fn inv()->u32{let mut x=1u32;let mut i=0;while i<5{x=x.wrapping_mul(2u32.wrapping_sub(P.wrapping_mul(x)));i+=1;}x}
const PI:u32=inv();
type L32=[u32;16];
#[inline(always)] fn mont(a:u32,w:u32)->u32{let t=a as u64*w as u64; let m=((t&0xffffffff)*(PI as u64))&0xffffffff; let h=(m*P as u64)>>32; ((t>>32)as u32).wrapping_sub(h as u32).wrapping_add(P)}
#[inline(never)]
fn ntt4(f:&[[u32;3]],x:&mut[L32]){
    let q=f.len(); let x=&mut x[..4*q]; let i4=f[0][0]|1;
    for (j,w) in f.iter().enumerate(){
        let (a,b,c,d)=(x[j],x[j+q],x[j+2*q],x[j+3*q]);
        let mut o=[[0u32;16];4];
        for l in 0..16{
            let s=a[l]+c[l]; let s=s.min(s.wrapping_sub(2*P)); let t=a[l]+2*P-c[l];
            let u=b[l]+d[l]; let u=u.min(u.wrapping_sub(2*P)); let v=mont(b[l]+2*P-d[l],i4);
            let z=s+u; o[0][l]=z.min(z.wrapping_sub(2*P));
            o[1][l]=mont(t.min(t.wrapping_sub(2*P))+v,w[0]); o[2][l]=mont(s+2*P-u,w[1]); o[3][l]=mont(t.min(t.wrapping_sub(2*P))+2*P-v,w[2]);
        }
        for k in 0..4{x[j+k*q]=o[k];}
    }
}
fn nq(st:&[Vec<[u32;3]>],x:&mut[L32]){ let Some((s,rest))=st.split_first() else{return}; ntt4(s,x); if rest.is_empty(){return} for x in x.chunks_exact_mut(s.len()){nq(rest,x)} }
fn main(){
    let n=4096usize; let mut st=vec![]; let mut s2=vec![]; let mut r=n;
    while r>=4{ st.push((0..r/4).map(|j|[1,2,3].map(|k|{let a=-std::f64::consts::TAU*((k*j)as f64)/r as f64;Complex{re:a.cos(),im:a.sin()}})).collect::<Vec<_>>()); s2.push((0..r/4).map(|j|[j as u32*77777+1,j as u32*7+5,j as u32+3]).collect::<Vec<_>>()); r/=4;}
    let mut re=vec![[0.5f64;8];n]; let mut im=vec![[0.25f64;8];n]; let mut x=vec![[123456u32;16];n];
    let (mut bf,mut bn)=(f64::MAX,f64::MAX);
    for _ in 0..400{
        re.iter_mut().for_each(|v|*v=[0.5;8]); im.iter_mut().for_each(|v|*v=[0.1;8]);
        let t=Instant::now(); quarters(&st,&mut re,&mut im); bf=bf.min(t.elapsed().as_secs_f64());
        let t=Instant::now(); nq(&s2,&mut x); bn=bn.min(t.elapsed().as_secs_f64());
    }
    let el=n as f64;
    println!("fft  4096 x 8 complex: {:.1} us, {:.3} ns per real input pair-element (residue and mirror)", bf*1e6, bf*1e9/(el*8.0));
    println!("ntt  4096 x 16: {:.1} us; residue and mirror: {:.3} ns", bn*1e6, bn*1e9/(el*16.0)*2.0);
    println!("{} {}",re[5][3]+im[7][1],x[9][3]);
}
